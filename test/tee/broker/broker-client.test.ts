import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { CHALLENGE_LIFETIME } from "../../../src/broker/challenge.ts";
import { toBase64url, utf8 } from "../../../src/lib/bytes.ts";
import { SECOND } from "../../../src/lib/time.ts";
import { askBroker } from "../../../src/tee/broker/broker-client.ts";
import type { BrokerDependencies } from "../../../src/tee/broker/broker-client.ts";
import {
  brokerKeyIdOf,
  deriveWrappingKey,
  makeEphemeralKey,
  readBytes,
  transcriptOf,
} from "../../../src/tee/broker/broker-protocol.ts";
import { postJson } from "../../../src/tee/broker/broker-http.ts";
import type { PostJson } from "../../../src/tee/broker/broker-http.ts";
import { TeeStartError } from "../../../src/tee/hardware.ts";
import { sealReleaseReportData } from "../../../src/tee/report-data.ts";
import { TeeUnavailableError } from "../../../src/tee/tee.ts";
import { ExchangeError } from "../../../src/tee/dstack/unix-http.ts";
import type { UnixReply } from "../../../src/tee/dstack/unix-http.ts";
import { createBrokerStage, meansOf, posterOf, random } from "../../support/broker.ts";
import type { BrokerStage } from "../../support/broker.ts";
import { createTestVault } from "../../support/vault.ts";

const TIMEOUT = { timeout: 30_000 };

// deno-lint-ignore no-explicit-any -- an answer on its way
type Json = any;

async function onStage(job: (stage: BrokerStage) => Promise<void>): Promise<void> {
  const stage = await createBrokerStage();
  try {
    await job(stage);
  } finally {
    await stage.db.destroy();
  }
}

/** Returns an attacker between guest and broker, who changes the answers at one path. */
function between(stage: BrokerStage, path: string, change: (answer: Json) => unknown): PostJson {
  const post = posterOf(stage);
  return async (request) => {
    const reply = await post(request);
    if (!request.url.endsWith(path)) return reply;
    const changed = change(JSON.parse(new TextDecoder().decode(reply.body)));
    return { ...reply, body: new TextEncoder().encode(JSON.stringify(changed)) };
  };
}

async function assertRefused(asked: Promise<Uint8Array>, reason: RegExp): Promise<void> {
  await assert.rejects(asked, (error) => {
    assert.ok(error instanceof TeeStartError, String(error));
    assert.equal(error.code, "broker");
    assert.match(error.message, reason);
    return true;
  });
}

/** Returns the base64url with one bit of its first byte changed. */
function flip(text: string): string {
  const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
  return toBase64url(bytes.with(0, bytes[0]! ^ 1));
}

const SIGNED = /not signed by the key of TEE_BROKER_KEY/;

/** Changes to a release by an attacker, and the guest's error. */
const ALTERED: readonly (readonly [name: string, change: (answer: Json) => unknown, reason: RegExp])[] = [
  ["another ciphertext", (answer) => ({ ...answer, ciphertext: flip(answer.ciphertext) }), SIGNED],
  ["another ephemeral key", (answer) => ({ ...answer, epkBroker: flip(answer.epkBroker) }), SIGNED],
  ["an ephemeral key of zeros", (answer) => ({ ...answer, epkBroker: "A".repeat(43) }), SIGNED],
  ["another signature", (answer) => ({ ...answer, signature: flip(answer.signature) }), SIGNED],
  ["a signature of zeros", (answer) => ({ ...answer, signature: "A".repeat(86) }), SIGNED],
  ["no signature", ({ signature: _, ...answer }) => answer, /malformed/],
  ["a short ciphertext", (answer) => ({ ...answer, ciphertext: "AAAA" }), /malformed/],
  ["a ciphertext that is a number", (answer) => ({ ...answer, ciphertext: 1 }), /malformed/],
  ["a list", (answer) => [answer], /not a JSON object/],
];

const ALTERED_CHALLENGES:
  readonly (readonly [name: string, change: (answer: Json) => unknown, reason: RegExp])[] = [
    [
      "another broker's id",
      (answer) => ({ ...answer, brokerKeyId: flip(answer.brokerKeyId) }),
      /is not the one of TEE_BROKER_KEY/,
    ],
    [
      "a nonce that was not given",
      (answer) => ({ ...answer, nonce: flip(answer.nonce) }),
      /unknown or was used/,
    ],
    ["a short nonce", (answer) => ({ ...answer, nonce: "AAAA" }), /malformed/],
    ["another expiry", (answer) => ({ ...answer, exp: answer.exp + 1 }), SIGNED],
    ["no expiry", ({ exp: _, ...answer }) => answer, /malformed/],
  ];

describe("askBroker()", TIMEOUT, () => {
  for (const [name, change, reason] of ALTERED) {
    test(`opens no release with ${name}`, () =>
      onStage(async (stage) => {
        const post = between(stage, "/release", change);
        await assertRefused(askBroker(stage.broker, meansOf(stage, { post })), reason);
      }));
  }

  for (const [name, change, reason] of ALTERED_CHALLENGES) {
    test(`accepts no challenge with ${name}`, () =>
      onStage(async (stage) => {
        const post = between(stage, "/challenge", change);
        await assertRefused(askBroker(stage.broker, meansOf(stage, { post })), reason);
      }));
  }

  test("opens no release of an earlier exchange", () =>
    onStage(async (stage) => {
      let kept: Json;
      const keeping = between(stage, "/release", (answer) => kept = answer);
      await askBroker(stage.broker, meansOf(stage, { post: keeping }));
      const replaying = between(stage, "/release", () => kept);
      await assertRefused(askBroker(stage.broker, meansOf(stage, { post: replaying })), SIGNED);
    }));

  test("accepts nothing from a broker with another key, whatever id it claims", () =>
    onStage(async (stage) => {
      const publicKey = Uint8Array.fromHex(
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      );
      const pinned = { ...stage.broker, publicKey };
      await assertRefused(askBroker(pinned, meansOf(stage)), /is not the one of TEE_BROKER_KEY/);
      // The impostor forges the challenge and accepts the claims, but cannot sign.
      const lying = between(
        stage,
        "/challenge",
        (answer) => ({ ...answer, brokerKeyId: brokerKeyIdOf(publicKey) }),
      );
      await assertRefused(askBroker(pinned, meansOf(stage, { post: lying })), /claims name another broker/);
    }));

  test("opens no key of an impostor, which is valid except for the signature", () =>
    onStage(async (stage) => {
      const honest = posterOf(stage);
      const impostor = createTestVault(8);
      const post: PostJson = async (request) => {
        if (!request.url.endsWith("/release")) return await honest(request);
        const { claims, quote } = JSON.parse(request.body);
        const own = makeEphemeralKey(random);
        const epkBroker = own.publicKey;
        const reportData = sealReleaseReportData(utf8(claims));
        const peer = readBytes(JSON.parse(claims).epk, 32)!;
        const wrapping = deriveWrappingKey(own, { peer, epkBroker, reportData })!;
        const key = { workload: "holdfast", sealed: impostor.makeReleaseKey("holdfast") };
        const ciphertext = await impostor.wrapReleaseKey(key, { ...wrapping, additionalData: reportData });
        const exp = Math.floor((stage.now + CHALLENGE_LIFETIME) / SECOND);
        const said = { exp, claims, quote: Uint8Array.fromBase64(quote), epkBroker, ciphertext };
        // The same with the right vault is a release that opens: only the signer is wrong.
        const signature = await signer.signAsBroker(transcriptOf(said));
        const members = Object.entries({ epkBroker, ciphertext, signature }).map(([name, bytes]) =>
          [name, toBase64url(bytes)] as const
        );
        return { status: 200, body: utf8(JSON.stringify(Object.fromEntries(members))) };
      };
      let signer = stage.vault;
      assert.equal((await askBroker(stage.broker, meansOf(stage, { post }))).length, 32);
      signer = impostor;
      await assertRefused(askBroker(stage.broker, meansOf(stage, { post })), SIGNED);
    }));

  test("shows the broker's refusal in one line without control characters", () =>
    onStage(async (stage) => {
      const body = new TextEncoder().encode(JSON.stringify({ detail: "no\n\u001b[31m" + "x".repeat(500) }));
      const post: PostJson = () => Promise.resolve({ status: 403, body });
      await assertRefused(askBroker(stage.broker, meansOf(stage, { post })), /^[\x20-\x7e]{1,300}$/);
    }));

  for (const status of [301, 307, 400, 403, 404, 204]) {
    test(`fails at once on status ${status}`, () =>
      onStage(async (stage) => {
        let calls = 0;
        const post = (): Promise<UnixReply> => {
          calls++;
          return Promise.resolve({ status, body: new Uint8Array() });
        };
        await assertRefused(
          askBroker(stage.broker, meansOf(stage, { post })),
          new RegExp(`status ${status}`),
        );
        assert.equal(calls, 1);
      }));
  }

  for (const status of [429, 500, 503]) {
    test(`retries on status ${status}, and then fails`, () =>
      onStage(async (stage) => {
        let calls = 0;
        const busy = (): Promise<UnixReply> => {
          calls++;
          return Promise.resolve({ status, body: new Uint8Array() });
        };
        await assertRefused(
          askBroker(stage.broker, meansOf(stage, { post: busy })),
          new RegExp(`status ${status}`),
        );
        assert.equal(calls, 16);
        const honest = posterOf(stage);
        const once: PostJson = (request) => calls < 18 ? busy() : honest(request);
        assert.equal((await askBroker(stage.broker, meansOf(stage, { post: once }))).length, 32);
      }));
  }

  test("retries while a broker is down, logs it, and then fails", () =>
    onStage(async (stage) => {
      const events: string[] = [];
      const waits: number[] = [];
      let time = 0;
      const means: Partial<BrokerDependencies> = {
        post: () => Promise.reject(new ExchangeError("unreachable", "no answer (ECONNREFUSED)")),
        log: (_level, event) => void events.push(event),
        now: () => time,
        wait: (milliseconds) => Promise.resolve(waits.push(time += milliseconds)),
      };
      await assertRefused(askBroker(stage.broker, meansOf(stage, means)), /no answer \(ECONNREFUSED\)/);
      assert.deepEqual(events, ["tee_waiting"]);
      assert.equal(waits.at(-1), 30 * SECOND);
    }));

  test("retries while the host returns no quote", () =>
    onStage(async (stage) => {
      const { quote, ...means } = meansOf(stage);
      let failures = 2;
      const late: BrokerDependencies["quote"] = (reportData) =>
        failures-- > 0 ? Promise.reject(new TeeUnavailableError("Cannot quote: busy")) : quote(reportData);
      assert.equal((await askBroker(stage.broker, { ...means, quote: late })).length, 32);
      const never: BrokerDependencies["quote"] = () =>
        Promise.reject(new TeeUnavailableError("Cannot quote: busy"));
      await assertRefused(askBroker(stage.broker, { ...meansOf(stage), quote: never }), /Cannot quote: busy/);
    }));

  test("sends only the name, the claims and the quote", () =>
    onStage(async (stage) => {
      const sent: Json[] = [];
      const honest = posterOf(stage);
      const post: PostJson = (request) => {
        sent.push(JSON.parse(request.body));
        return honest(request);
      };
      await askBroker(stage.broker, meansOf(stage, { post }));
      assert.deepEqual(sent.map((value) => Object.keys(value)), [["workload"], ["claims", "quote"]]);
    }));
});

/** Runs the job against a server on a free port. */
async function withServer(listener: RequestListener, job: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await job(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function fails(url: string, code: ExchangeError["code"], deadline = 5000): Promise<void> {
  const post = postJson({ url, body: "{}", deadline, largest: 1000 });
  return assert.rejects(post, (error) => error instanceof ExchangeError && error.code === code);
}

describe("postJson()", TIMEOUT, () => {
  test("sends JSON and returns the reply, with any status", () =>
    withServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => text += chunk).on("end", () => {
        const { method, url, headers } = request;
        response.writeHead(418).end(JSON.stringify([method, url, headers["content-type"], text]));
      });
    }, async (url) => {
      const { status, body } = await postJson({
        url: `${url}/a/b`,
        body: "[1]",
        deadline: 5000,
        largest: 1000,
      });
      assert.equal(status, 418);
      const echoed = JSON.parse(new TextDecoder().decode(body));
      assert.deepEqual(echoed, ["POST", "/a/b", "application/json", "[1]"]);
    }));

  test("follows no redirect", async () => {
    let visits = 0;
    await withServer((_request, response) => {
      visits++;
      response.writeHead(307, { location: "/elsewhere" }).end();
    }, async (url) => {
      const { status } = await postJson({ url, body: "{}", deadline: 5000, largest: 1000 });
      assert.notEqual(status, 200);
      assert.equal(visits, 1);
    });
  });

  test("aborts a reply that is too large, announced or not", async () => {
    await withServer(
      (_request, response) => response.end("x".repeat(1001)),
      (url) => fails(url, "too_large"),
    );
    const endless: RequestListener = (_request, response) => {
      const more = (): boolean => response.write("x".repeat(500));
      const timer = setInterval(more, 5);
      response.on("close", () => clearInterval(timer));
    };
    await withServer(endless, (url) => fails(url, "too_large"));
  });

  test("times out at the deadline for a server that sends nothing, or sends slowly", async () => {
    await withServer(() => {}, (url) => fails(url, "timed_out", 200));
    const dripping: RequestListener = (_request, response) => {
      response.write("{");
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    };
    await withServer(dripping, (url) => fails(url, "timed_out", 300));
  });

  test("reports a reply that is incomplete, and a missing listener, as unreachable", async () => {
    const cutting: RequestListener = (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
      setTimeout(() => response.destroy(), 20);
    };
    await withServer(cutting, (url) => fails(url, "unreachable"));
    let gone = "";
    await withServer(() => {}, (url) => Promise.resolve(void (gone = url)));
    await fails(gone, "unreachable");
  });
});
