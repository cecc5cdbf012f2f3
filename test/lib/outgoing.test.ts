import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isPlainlyPrivate, isPublicHost } from "../../src/lib/outgoing.ts";

const open = new AbortController().signal;
const PRIVATE = ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "[fd00::1]", "[::ffff:192.168.0.1]"];

describe("isPublicHost()", () => {
  for (const host of PRIVATE) {
    test(`isPublicHost() and isPlainlyPrivate() know ${host} for private, and look nothing up`, async () => {
      const lookup = () => Promise.reject(new Error("looked up"));
      assert.equal(await isPublicHost(host, { lookup, signal: open }), false);
      assert.equal(isPlainlyPrivate(host), true);
    });
  }

  test("isPublicHost() wants every address of a name to be public, and lets one without any pass", async () => {
    const names: Readonly<Record<string, readonly string[]>> = {
      "public.example": ["93.184.216.34", "2606:2800:220:1::1"],
      "mixed.example": ["93.184.216.34", "10.0.0.1"],
      "strange.example": ["not an address"],
      "nowhere.example": [],
    };
    const lookup = (name: string) => Promise.resolve(names[name]!);
    const answers = Object.keys(names).map((name) => isPublicHost(name, { lookup, signal: open }));
    assert.deepEqual(await Promise.all(answers), [true, false, false, true]);
    assert.deepEqual(Object.keys(names).filter(isPlainlyPrivate), []);
    assert.equal(isPlainlyPrivate("app.localhost"), true);
  });

  test("isPublicHost() waits no longer than its signal", async () => {
    const ends = new AbortController();
    const lookup = () => new Promise<never>(() => {});
    const asked = isPublicHost("slow.example", { lookup, signal: ends.signal });
    ends.abort(new Error("too late"));
    await assert.rejects(asked, /too late/);
    await assert.rejects(isPublicHost("slow.example", { lookup, signal: ends.signal }), /too late/);
  });
});
