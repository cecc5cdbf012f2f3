import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";

const REQUEST_ID = `signing_${"0".repeat(26)}`;

interface Window {
  readonly url: string;
  focus(): Promise<void>;
}

/** Runs the served worker with a message, and then a tap on what it shows. Returns the notification and the effect. */
async function receive(message: object, windows: readonly string[] = []) {
  await using app = await createTestApp();
  const { text } = await app.client().get("/service-worker.js");
  const handlers = new Map<string, (event: object) => void>();
  const shown: { readonly title: string; readonly data: string; readonly tag: string }[] = [];
  const effects: string[] = [];
  const open: readonly Window[] = windows.map((url) => ({
    url,
    focus: () => Promise.resolve(void effects.push(`focus ${url}`)),
  }));
  const self = {
    addEventListener: (name: string, handler: (event: object) => void) => handlers.set(name, handler),
    registration: {
      showNotification: (title: string, options: { readonly data: string; readonly tag: string }) =>
        Promise.resolve(void shown.push({ title, ...options })),
    },
    clients: {
      matchAll: () => Promise.resolve(open),
      openWindow: (path: string) => Promise.resolve(void effects.push(`open ${path}`)),
    },
  };
  new Function("self", text)(self);
  assert.deepEqual([...handlers.keys()], ["push", "notificationclick"]);
  const waits: Promise<unknown>[] = [];
  const waitUntil = (job: Promise<unknown>): void => void waits.push(job);
  handlers.get("push")!({ data: { json: () => message }, waitUntil });
  await Promise.all(waits);
  const notification = { ...shown[0]!, close: () => effects.push("close") };
  handlers.get("notificationclick")!({ notification, waitUntil });
  await Promise.all(waits);
  return { shown, effects };
}

describe("a tap on a notification", () => {
  const PATHS: readonly (readonly [message: object, path: string])[] = [
    [{ kind: "signature_asked", requestId: REQUEST_ID }, `/requests/${REQUEST_ID}`],
    [{ kind: "signature_asked", requestId: null }, "/requests"],
    [{ kind: "signature_asked", requestId: "../admin" }, "/requests"],
    [{ kind: "signature_asked", requestId: `${REQUEST_ID}/../../admin` }, "/requests"],
    [{ kind: "signing_refused", requestId: null }, "/account/audit"],
    [{ kind: "signed_in", requestId: REQUEST_ID }, "/account"],
    [{ kind: "https://evil.example", requestId: REQUEST_ID }, "/account"],
    [{ kind: "toString", requestId: null }, "/account"],
    [{}, "/account"],
  ];
  for (const [message, path] of PATHS) {
    test(`opens ${path} for ${JSON.stringify(message)}`, async () => {
      const { shown, effects } = await receive({
        ...message,
        title: "T",
        text: "B",
        url: "https://evil.example",
      });
      assert.equal(shown[0]!.data, path);
      assert.deepEqual(effects, ["close", `open ${path}`]);
    });
  }

  test("shows a window that has the page open, and leads no other one away", async () => {
    const message = { kind: "signed_in", title: "T", text: "B" };
    const other = "http://localhost:3000/keys";
    const same = "http://localhost:3000/account?a=b";
    assert.deepEqual((await receive(message, [other, same])).effects, ["close", `focus ${same}`]);
    assert.deepEqual((await receive(message, [other])).effects, ["close", "open /account"]);
  });
});

test("requests have a notification each, and refusals of a program share one", async () => {
  const tagOf = async (message: object) =>
    (await receive({ ...message, title: "T", text: "B" })).shown[0]!.tag;
  const request = { kind: "signature_asked", program: "A", requestId: REQUEST_ID };
  const other = { ...request, requestId: REQUEST_ID.replace("0", "1") };
  assert.notEqual(await tagOf(request), await tagOf(other));
  const refusal = { kind: "signing_refused", program: "A", requestId: null };
  assert.equal(await tagOf(refusal), await tagOf({ ...refusal }));
  assert.notEqual(await tagOf(refusal), await tagOf({ ...refusal, program: "B" }));
});
