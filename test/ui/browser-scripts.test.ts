import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { generateKey, sign } from "../../src/features/keys/keys-api.client.js";
import { sendCode } from "../../src/features/sign-in/sign-in-api.client.js";
import { ApiError } from "../../src/ui/browser/api.client.js";
import { claimMessages, quoteVerdict, verifyCommand } from "../../src/features/keys/attestation.client.js";
import { nextPath } from "../../src/ui/browser/dom.client.js";
import { failureSentence, toSentence } from "../../src/ui/browser/failure.client.js";
import { PasskeyError, refusalSentence } from "../../src/ui/browser/passkey.client.js";
import { isLocalPath } from "../../src/http/response/respond.ts";
import { installMessages } from "../support/page-messages.ts";

installMessages("en");

// Tests of the scripts without a page. Browser tests cover their effect on pages.

interface Sent {
  readonly path: string;
  readonly init: RequestInit;
}

/** Mocks `fetch` with `response` for one call of `job`, and returns the request. */
async function withAnswer(
  response: Response,
  job: () => Promise<unknown>,
): Promise<Sent & { result: unknown }> {
  const before = globalThis.fetch;
  let sent: Sent | undefined;
  globalThis.fetch = ((path: string, init: RequestInit) => {
    sent = { path, init };
    return Promise.resolve(response);
  }) as typeof fetch;
  try {
    const result = await job().catch((error: unknown) => error);
    assert.ok(sent !== undefined, "nothing was sent");
    return { ...sent, result };
  } finally {
    globalThis.fetch = before;
  }
}

function problem(status: number, members: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(members), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

describe("calls to the API", () => {
  test("sign() sends the text unchanged, including numbers beyond 2^53 and repeated members", async () => {
    const text = '{ "a": 9007199254740993, "a": 1 }';
    const { init } = await withAnswer(Response.json({}), () => sign("key_1", "sign-typed-data", text));
    assert.equal(init.body, text);
    assert.equal(new Headers(init.headers).get("content-type"), "application/json");
  });

  test("generateKey() sends its idempotency key, and no empty label", async () => {
    const { path, init } = await withAnswer(Response.json({ key: {} }), () => generateKey(undefined, "once"));
    assert.equal(path, "/api/keys/generate");
    assert.equal(init.body, "{}");
    assert.equal(new Headers(init.headers).get("idempotency-key"), "once");
  });

  test("a call throws the problem with its request id, errors and Retry-After", async () => {
    const members = {
      code: "rate_limited",
      detail: "Too many",
      requestId: "abc",
      errors: [{ path: "/email", message: "No" }],
    };
    const { result } = await withAnswer(
      problem(429, members, { "retry-after": "7" }),
      () => sendCode("a@b.example"),
    );
    assert.ok(result instanceof ApiError);
    assert.deepEqual(result.problem, { status: 429, ...members, retryAfter: 7 });
  });

  test("a call throws ApiError for a response of a proxy that is not a problem document", async () => {
    const answer = new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "x-request-id": "r1" } });
    const { result } = await withAnswer(answer, () => sendCode("a@b.example"));
    assert.ok(result instanceof ApiError);
    assert.equal(result.problem.code, "unknown");
    assert.equal(result.problem.requestId, "r1");
  });
});

function apiError(code: string, retryAfter?: number): ApiError {
  return new ApiError({ status: 400, code, detail: "Detail", requestId: undefined, errors: [], retryAfter });
}

describe("messages for failures", () => {
  test("failureSentence() distinguishes failures", () => {
    const sentences = [
      failureSentence(apiError("invalid_code")),
      failureSentence(apiError("invalid_passkey")),
      failureSentence(apiError("rate_limited", 30)),
      failureSentence(apiError("whatever")),
      failureSentence(new PasskeyError("Cancelled.")),
      failureSentence(new TypeError("fetch failed")),
      failureSentence(new DOMException("", "TimeoutError")),
      failureSentence(new Error("ours")),
    ];
    assert.equal(new Set(sentences).size, sentences.length);
    for (const sentence of sentences) assert.match(sentence, /\.$/);
  });

  test("failureSentence() shows the problem's own sentence by default", () => {
    assert.equal(failureSentence(apiError("key_archived")), "Detail.");
    assert.equal(failureSentence(apiError("constructor")), "Detail.");
  });

  test("failureSentence() says how long to wait, in minutes if it is long", () => {
    assert.match(failureSentence(apiError("rate_limited", 1)), /in 1 second\./);
    assert.match(failureSentence(apiError("rate_limited", 45)), /in 45 seconds\./);
    assert.match(failureSentence(apiError("rate_limited", 200)), /in 4 minutes\./);
  });

  test("toSentence() adds a full stop only if it lacks one", () => {
    assert.equal(toSentence("One"), "One.");
    assert.equal(toSentence('did you mean "Person"?'), 'did you mean "Person"?');
  });

  test("refusalSentence() has a sentence for each refusal of a ceremony", () => {
    const names = [
      "NotAllowedError",
      "InvalidStateError",
      "SecurityError",
      "NotSupportedError",
      "ConstraintError",
    ];
    for (const ceremony of ["create", "get"] as const) {
      const sentences = names.map((name) => refusalSentence(new DOMException("", name), ceremony));
      assert.equal(new Set([...sentences, refusalSentence(new Error("x"), ceremony)]).size, names.length + 1);
    }
    assert.equal(typeof refusalSentence(new DOMException("", "toString"), "get"), "string");
  });
});

test("nextPath() follows paths of this origin only", () => {
  const cases = [
    ["?next=/keys/key_1", "/keys/key_1"],
    ["?next=%2Fkeys%3Farchived%3Dtrue", "/keys?archived=true"],
    ["", "/keys"],
    ["?next=", "/keys"],
    ["?next=//evil.example", "/keys"],
    ["?next=/%5Cevil.example", "/keys"],
    ["?next=/%09/evil.example", "/keys"],
    ["?next=/a%0D%0Ab", "/keys"],
    ["?next=https://evil.example", "/keys"],
    ["?next=javascript:alert(1)", "/keys"],
    ["?next=evil", "/keys"],
    ["?next=%20/keys", "/keys"],
  ] as const;
  for (const [search, path] of cases) {
    assert.equal(nextPath(search), path, search);
    assert.ok(isLocalPath(path));
  }
});

describe("quoteVerdict()", () => {
  const expected = { nonce: "n0nce", address: "0xabc" };
  const quote = (claims: unknown, inTee = true) => ({
    quote: "",
    address: "0xabc",
    inTee,
    provider: "tdx",
    claims: typeof claims === "string" ? claims : JSON.stringify(claims),
    policy: null,
    policyChange: null,
  });

  test("claims are shown as sentences, whether they match or not", () => {
    const claims = { ...expected, policy: null, keyProvider: { name: "kms", id: "02ab" } };
    assert.deepEqual(claimMessages(quote(claims), expected), [
      "It is about this key.",
      "It is new: it repeats your browser’s random number.",
      "The sealing key, from which every key can be derived, comes from: kms (02ab).",
      "The key may sign anything.",
    ]);
    const others = claimMessages(
      quote({ ...claims, nonce: "x", address: "0x1", policy: { hash: "0x" } }),
      expected,
    );
    assert.deepEqual([others[0], others[1], others[3]], [
      "It is about another key.",
      "It may be old.",
      "The key signs what its policy allows.",
    ]);
    assert.match(claimMessages(quote("no claims"), expected)[2]!, /not named/);
  });

  test("says that a simulated quote proves nothing", () => {
    const { kind, message } = quoteVerdict(quote(expected, false), expected);
    assert.equal(kind, "simulated");
    assert.match(message, /proves nothing/);
  });

  test("says that the browser has not checked a real one", () => {
    const { kind, message } = quoteVerdict(quote(expected), expected);
    assert.equal(kind, "tee");
    assert.match(message, /has not verified/);
  });

  test("warns when the quote is about another key or nonce, or has no valid claims", () => {
    for (
      const claims of [
        { ...expected, nonce: "old" },
        { ...expected, address: "0xdef" },
        {},
        "null",
        "[",
        '"text"',
      ]
    ) {
      assert.equal(quoteVerdict(quote(claims), expected).kind, "problem");
      assert.equal(quoteVerdict(quote(claims, false), expected).kind, "problem");
    }
  });
});

describe("verifyCommand()", () => {
  const expected = { nonce: "n0nce", address: "0xabc" };

  test("checks a real quote against Intel, and leaves the expected values to the user", () => {
    const command = verifyCommand({ inTee: true }, expected);
    assert.match(
      command,
      / --pccs https:\/\/api\.trustedservices\.intel\.com --nonce=n0nce --address 0xabc --expect expected\.json$/,
    );
  });

  test("names the synthetic root of a simulated one", () => {
    const command = verifyCommand({ inTee: false }, expected);
    assert.match(
      command,
      / simulated-root simulated\n.* --root simulated\/root\.pem --nonce=n0nce --address 0xabc /,
    );
  });
});
