import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromBase64url, toBase64url } from "../../src/lib/bytes.ts";
import { isPushKeyPair, makePushKeyPair } from "../../src/push/keys.ts";
import { formatPayload } from "../../src/push/message.ts";
import { createPushRequest } from "../../src/push/push-request.ts";
import { createPushBrowser, openPushBrowser, verifyVapid } from "../support/push-service.ts";

const ENDPOINT = "https://push.example/a/b?c=d";
const contact = "mailto:ops@example.com";

describe("the browser of the tests", () => {
  test("decrypts the example of RFC 8291 section 5", async () => {
    const point = fromBase64url(
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    )!;
    const [x, y] = [toBase64url(point.subarray(1, 33)), toBase64url(point.subarray(33))];
    const jwk = { kty: "EC", crv: "P-256", x, y, d: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94" };
    const ecdh = { name: "ECDH", namedCurve: "P-256" } as const;
    const publicKey = await crypto.subtle.importKey("raw", point, ecdh, true, []);
    const privateKey = await crypto.subtle.importKey("jwk", jwk, ecdh, false, ["deriveBits"]);
    const browser = await openPushBrowser(
      { publicKey, privateKey },
      fromBase64url("BTBZMqHH6r4Tts7J_aSIgg")!,
    );
    const body = fromBase64url(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w" +
        "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    )!;
    assert.equal(await browser.decrypt(body), "When I grow up, I want to be a watermelon");
  });
});

describe("createPushRequest()", () => {
  test("encrypts for one browser (RFC 8291), signs (RFC 8292), and says for how long (RFC 8030)", async () => {
    const keys = { ...await makePushKeyPair(), contact };
    const browser = await createPushBrowser();
    const subscription = { endpoint: ENDPOINT, keys: browser.keys };
    const settings = { payload: "Grüße", seconds: 3600, urgency: "high" } as const;
    const request = await createPushRequest(keys, subscription, settings);
    assert.equal(await browser.decrypt(request.bytes), "Grüße");
    const { sub } = await verifyVapid(ENDPOINT, request, keys.publicKey);
    assert.equal(sub, contact);
    const headers = new Headers(request.headers);
    assert.deepEqual(
      ["ttl", "urgency", "content-encoding", "content-type"].map((name) => headers.get(name)),
      ["3600", "high", "aes128gcm", "application/octet-stream"],
    );
    const other = await createPushBrowser();
    await assert.rejects(other.decrypt(request.bytes), { name: "OperationError" });
    const again = await createPushRequest(keys, subscription, settings);
    assert.notDeepEqual(again.bytes.subarray(0, 16), request.bytes.subarray(0, 16), "a salt of its own");
    const longer = await createPushRequest(keys, subscription, { ...settings, payload: "x".repeat(3000) });
    assert.equal(longer.bytes.length, request.bytes.length, "the length tells nothing");
  });

  test("accepts the longest message", async () => {
    const browser = await createPushBrowser();
    // Such characters are named, which makes a name much longer.
    const message = { kind: "signing_refused", program: "\u202e".repeat(100), requestId: null } as const;
    const payload = formatPayload(message, "de");
    const keys = { ...await makePushKeyPair(), contact };
    const subscription = { endpoint: ENDPOINT, keys: browser.keys };
    const request = await createPushRequest(keys, subscription, { payload, seconds: 1, urgency: "normal" });
    assert.equal(await browser.decrypt(request.bytes), payload);
    assert.ok(request.bytes.length <= 4096, "RFC 8291 section 4");
  });
});

describe("formatPayload()", () => {
  test("names characters that would change how a program's name reads", () => {
    const message = { kind: "signature_asked", program: "a\u202eb", requestId: null } as const;
    assert.equal(JSON.parse(formatPayload(message, "en")).text, "a[U+202E]b asks for a signature.");
  });
});

describe("isPushKeyPair()", () => {
  test("tells a pair from keys that do not belong together, or are none", async () => {
    const [one, other] = [await makePushKeyPair(), await makePushKeyPair()];
    assert.equal(await isPushKeyPair(one), true);
    assert.equal(await isPushKeyPair({ ...one, privateKey: other.privateKey }), false);
    assert.equal(await isPushKeyPair({ ...one, publicKey: `B${"A".repeat(86)}` }), false);
    assert.equal(await isPushKeyPair({ ...one, privateKey: "A".repeat(43) }), false);
  });
});
