import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { endSessions, renamePasskey } from "../../../src/features/account/account-api.client.js";
import { ApiError, registerPasskey, stepUp } from "../../../src/ui/browser/api.client.js";
import {
  canSuggest,
  isAlreadyHere,
  PasskeyError,
  refusalSentence,
} from "../../../src/ui/browser/passkey.client.js";
import {
  deletePasskey,
  endSession,
  revokeToken,
  unlinkIdentity,
} from "../../../src/ui/browser/removal.client.js";
import { signalPasskeys, signalUnknown } from "../../../src/ui/browser/signals.client.js";
import { withFreshSession } from "../../../src/ui/browser/step-up.client.js";
import { installMessages } from "../../support/page-messages.ts";

installMessages("en");

// Tests the account's scripts without a page. The browser tests cover the rest.

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** The responses by path. Any other path fails. */
type Answers = Readonly<Record<string, () => Response>>;

const realFetch = globalThis.fetch;
const realCredential = Reflect.get(globalThis, "PublicKeyCredential");
const realCredentials = Object.getOwnPropertyDescriptor(navigator, "credentials");
let sent: Sent[];
let answers: Answers;

/** A fake of the browser's passkeys, with the members that the tests need. */
class FakeCredential {
  readonly #json: object;
  constructor(json: object) {
    this.#json = json;
  }
  toJSON(): object {
    return this.#json;
  }
}

function stubBrowser(
  statics: Readonly<Record<string, unknown>>,
  get: () => Promise<unknown> = () => Promise.reject(new Error("unexpected")),
): void {
  class PublicKeyCredential extends FakeCredential {}
  Object.assign(PublicKeyCredential, {
    parseCreationOptionsFromJSON: (options: unknown) => options,
    parseRequestOptionsFromJSON: (options: unknown) => options,
    ...statics,
  });
  Reflect.set(globalThis, "PublicKeyCredential", PublicKeyCredential);
  Object.defineProperty(navigator, "credentials", { configurable: true, value: { get } });
}

function answerOf(json: object): unknown {
  return new (Reflect.get(globalThis, "PublicKeyCredential") as unknown as typeof FakeCredential)(json);
}

function stale(): ApiError {
  return new ApiError({
    status: 403,
    code: "fresh_session_required",
    detail: "Sign in again",
    requestId: undefined,
    errors: [],
    retryAfter: undefined,
  });
}

describe("scripts of the account page", () => {
  beforeEach(() => {
    sent = [];
    answers = {};
    globalThis.fetch = ((path: string, { method, body }: RequestInit) => {
      sent.push({ method: method!, path, body: body === undefined ? undefined : JSON.parse(String(body)) });
      return Promise.resolve(answers[path]?.() ?? new Response(null, { status: 204 }));
    }) as typeof fetch;
  });

  afterEach(() => {
    globalThis.fetch = realFetch;
    Reflect.set(globalThis, "PublicKeyCredential", realCredential);
    if (realCredential === undefined) Reflect.deleteProperty(globalThis, "PublicKeyCredential");
    if (realCredentials === undefined) Reflect.deleteProperty(navigator, "credentials");
    else Object.defineProperty(navigator, "credentials", realCredentials);
  });

  test("the account page calls existing routes of the API", async () => {
    await renamePasskey("passkey_a", "Laptop").catch(() => {});
    await deletePasskey("passkey_a");
    await registerPasskey({ id: "x" }, "Laptop");
    await registerPasskey({ id: "x" });
    await stepUp("add_passkey", { id: "x" });
    await endSession("session_a");
    await endSessions("others");
    await endSessions("all");
    assert.deepEqual(sent.map(({ method, path, body }) => [method, path, body]), [
      ["PATCH", "/api/auth/passkeys/passkey_a", { name: "Laptop" }],
      ["DELETE", "/api/auth/passkeys/passkey_a", undefined],
      ["POST", "/api/auth/passkey/registration", { response: { id: "x" }, name: "Laptop" }],
      ["POST", "/api/auth/passkey/registration", { response: { id: "x" } }],
      ["POST", "/api/auth/step-up", { action: "add_passkey", response: { id: "x" } }],
      ["DELETE", "/api/auth/sessions/session_a", undefined],
      ["POST", "/api/auth/sessions/revoke-others", {}],
      ["POST", "/api/auth/sessions/revoke-all", {}],
    ]);
  });

  for (
    const [path, remove] of [
      ["/api/auth/passkeys/a", deletePasskey],
      ["/api/auth/sessions/a", endSession],
      ["/api/auth/tokens/a", revokeToken],
      ["/api/auth/account/identities/a", unlinkIdentity],
    ] as const
  ) {
    test(`${remove.name}() treats 404 as removed, and no other failure`, async () => {
      const answerWith = (status: number, code: string): void => {
        const type = { "content-type": "application/problem+json" };
        answers = { [path]: () => new Response(JSON.stringify({ code }), { status, headers: type }) };
      };
      answerWith(404, "not_found");
      await remove("a");
      answerWith(403, "forbidden");
      await assert.rejects(remove("a"), ApiError);
      assert.deepEqual(sent.map(({ method, path }) => [method, path]), [["DELETE", path], ["DELETE", path]]);
    });
  }

  describe("withFreshSession()", () => {
    const OPTIONS = "/api/auth/step-up/options";

    test("asks for no passkey if the service requires none", async () => {
      stubBrowser({});
      assert.equal(await withFreshSession("add_passkey", assert.fail, () => Promise.resolve(7)), 7);
      assert.deepEqual(sent, []);
    });

    test("steps up for this action and repeats the call once", async () => {
      stubBrowser({}, () => Promise.resolve(answerOf({ id: "x" })));
      answers = { [OPTIONS]: () => Response.json({ challenge: "c" }) };
      const messages: string[] = [];
      let runs = 0;
      const result = await withFreshSession("delete_passkey:p", (words) => void messages.push(words), () => {
        runs++;
        return runs === 1 ? Promise.reject(stale()) : Promise.resolve("done");
      });
      assert.deepEqual([result, runs], ["done", 2]);
      assert.deepEqual(sent.map(({ path, body }) => [path, body]), [
        [OPTIONS, { action: "delete_passkey:p" }],
        ["/api/auth/step-up", { action: "delete_passkey:p", response: { id: "x" } }],
      ]);
      assert.match(messages[0]!, /Confirm with one of your passkeys/);
      assert.equal(messages.at(-1), "");
    });

    test("does not repeat the call and reports the reason when the person cancels", async () => {
      stubBrowser({}, () => Promise.reject(new DOMException("", "NotAllowedError")));
      answers = { [OPTIONS]: () => Response.json({ challenge: "c" }) };
      const messages: string[] = [];
      let runs = 0;
      const failed = withFreshSession("add_passkey", (words) => void messages.push(words), () => {
        runs++;
        return Promise.reject(stale());
      });
      await assert.rejects(
        failed,
        (error) => error instanceof PasskeyError && /Not confirmed/.test(error.message),
      );
      assert.deepEqual([runs, messages.at(-1), sent.length], [1, "", 1]);
    });

    test("does not repeat the call after it was aborted, even if the person has just confirmed", async () => {
      const controller = new AbortController();
      stubBrowser({}, () => {
        controller.abort();
        return Promise.resolve(answerOf({ id: "x" }));
      });
      answers = { [OPTIONS]: () => Response.json({ challenge: "c" }) };
      let runs = 0;
      const job = () => {
        runs++;
        return Promise.reject(stale());
      };
      const isAbort = (error: Error) => error.name === "AbortError";
      await assert.rejects(withFreshSession("add_passkey", () => {}, job, controller.signal), isAbort);
      assert.equal(runs, 1);
    });

    test("asks once even if the service still requires it, and passes other failures on", async () => {
      stubBrowser({}, () => Promise.resolve(answerOf({ id: "x" })));
      answers = { [OPTIONS]: () => Response.json({ challenge: "c" }) };
      await assert.rejects(
        withFreshSession("add_passkey", () => {}, () => Promise.reject(stale())),
        ApiError,
      );
      assert.equal(sent.length, 2);
      const other = new TypeError("unreachable");
      await assert.rejects(withFreshSession("add_passkey", () => {}, () => Promise.reject(other)), other);
      assert.equal(sent.length, 2);
    });
  });

  describe("signals", () => {
    const LIST = "/api/auth/passkeys";
    const SIGNAL = {
      rpId: "example.com",
      userId: "dXNlcg",
      name: "ada@example.com",
      displayName: "ada@example.com",
      allAcceptedCredentialIds: ["AAAA", "BBBB"],
    };

    test("signalPasskeys() signals the existing passkeys and the name, each with its defined members", async () => {
      const signals: unknown[] = [];
      const record = (value: unknown) => Promise.resolve(void signals.push(value));
      stubBrowser({ signalAllAcceptedCredentials: record, signalCurrentUserDetails: record });
      answers = { [LIST]: () => Response.json({ passkeys: [], signal: SIGNAL }) };
      await signalPasskeys();
      const { rpId, userId, name, displayName, allAcceptedCredentialIds } = SIGNAL;
      assert.deepEqual(signals, [{ rpId, userId, allAcceptedCredentialIds }, {
        rpId,
        userId,
        name,
        displayName,
      }]);
    });

    test("signalPasskeys() and signalUnknown() do nothing in a browser without signals or passkeys", async () => {
      await signalPasskeys();
      await signalUnknown("example.com", "AAAA");
      stubBrowser({});
      await signalPasskeys();
      await signalUnknown("example.com", "AAAA");
      assert.deepEqual(sent, []);
    });

    test("signalPasskeys() and signalUnknown() never throw, whatever browser and service do", async () => {
      const refuse = () => Promise.reject(new DOMException("", "SecurityError"));
      const explode = () => {
        throw new TypeError("not like this");
      };
      for (const fault of [refuse, explode]) {
        stubBrowser({ signalAllAcceptedCredentials: fault, signalUnknownCredential: fault });
        answers = { [LIST]: () => Response.json({ passkeys: [], signal: SIGNAL }) };
        await signalPasskeys();
        await signalUnknown("example.com", "AAAA");
        answers = { [LIST]: () => new Response(null, { status: 500 }) };
        await signalPasskeys();
      }
    });

    test("signalUnknown() names the credential", async () => {
      const signals: unknown[] = [];
      stubBrowser({ signalUnknownCredential: (value: unknown) => Promise.resolve(void signals.push(value)) });
      await signalUnknown("example.com", "AAAA");
      assert.deepEqual(signals, [{ rpId: "example.com", credentialId: "AAAA" }]);
    });
  });

  describe("canSuggest()", () => {
    const yes = () => Promise.resolve(true);
    const no = () => Promise.resolve(false);
    const capabilities = (conditionalGet?: boolean) => () => Promise.resolve({ conditionalGet });

    test("uses either of the two methods that the browser has, and is false if it fails", async () => {
      const cases = [
        [{ isConditionalMediationAvailable: yes }, true],
        [{ isConditionalMediationAvailable: no, getClientCapabilities: capabilities(true) }, false],
        [{ getClientCapabilities: capabilities(true) }, true],
        [{ getClientCapabilities: capabilities(false) }, false],
        [{ getClientCapabilities: capabilities() }, false],
        [{ isConditionalMediationAvailable: () => Promise.reject(new Error("no")) }, false],
        [{}, false],
        [{ isConditionalMediationAvailable: yes, parseRequestOptionsFromJSON: undefined }, false],
      ] as const;
      for (const [statics, expected] of cases) {
        stubBrowser(statics);
        assert.equal(await canSuggest(), expected, JSON.stringify(Object.keys(statics)));
      }
    });

    test("is false in a browser without passkeys", async () => {
      assert.equal(await canSuggest(), false);
    });
  });

  test("refusalSentence() returns a sentence for each WebAuthn error", () => {
    const names = [
      "NotAllowedError",
      "InvalidStateError",
      "SecurityError",
      "NotSupportedError",
      "ConstraintError",
    ];
    const sentences = names.map((name) => refusalSentence(new DOMException("", name), "confirm"));
    assert.equal(new Set(sentences).size, names.length);
    assert.match(sentences[0]!, /Not confirmed, so nothing has changed/);
    assert.match(
      refusalSentence(new DOMException("", "InvalidStateError"), "create"),
      /This device already has a passkey for this account/,
    );
  });

  test("isAlreadyHere() distinguishes an excluded credential from other failures", () => {
    const because = (name: string) => new PasskeyError("Words.", new DOMException("", name));
    assert.equal(isAlreadyHere(because("InvalidStateError")), true);
    assert.equal(isAlreadyHere(because("NotAllowedError")), false);
    assert.equal(isAlreadyHere(new DOMException("", "InvalidStateError")), false);
    assert.equal(isAlreadyHere(new PasskeyError("Words.")), false);
  });
});
