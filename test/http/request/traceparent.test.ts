import assert from "node:assert/strict";
import { test } from "node:test";
import { readTraceparent } from "../../../src/http/request/traceparent.ts";
import { createIdentityStage } from "../../support/identity.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const VALID = `00-${TRACE}-${PARENT}-01`;

const read = (traceparent: string) => readTraceparent(new Headers({ traceparent }));

test("readTraceparent() reads version 00, and of a later version what 00 defines (Trace Context section 4.3)", () => {
  assert.equal(read(VALID), VALID);
  assert.equal(read(`00-${TRACE}-${PARENT}-00`), `00-${TRACE}-${PARENT}-00`);
  assert.equal(read(`01-${TRACE}-${PARENT}-03-more`), VALID);
});

test("readTraceparent() ignores what section 3.2.2 does not allow", () => {
  assert.equal(readTraceparent(new Headers()), undefined);
  for (
    const wrong of [
      `ff-${TRACE}-${PARENT}-01`,
      `00-${"0".repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${"0".repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}-01-more`,
      `00-${TRACE}-${PARENT}-1`,
      `00-${TRACE}-${PARENT}`,
      `${VALID}, ${VALID}`,
      `01-${TRACE}-${PARENT}-01more`,
      "x",
    ]
  ) {
    assert.equal(read(wrong), undefined, wrong);
  }
});

test("a trace is in the log line of its request, and in the requests to an identity provider", async () => {
  await using stage = await createIdentityStage();
  const { app, upstream } = stage;
  const begin = (traceparent: string) =>
    app.client().get("/api/auth/identity/upstream", { headers: { traceparent } });
  const lastLine = () => JSON.parse(app.logged.at(-1)!);
  assert.equal((await begin(VALID)).status, 303);
  assert.equal(lastLine().traceparent, VALID);
  assert.ok(upstream.requests.length > 0);
  for (const { init } of upstream.requests) assert.equal(init.headers["traceparent"], VALID);
  const before = upstream.requests.length;
  assert.equal((await begin("00-wrong")).status, 303);
  assert.equal("traceparent" in lastLine(), false);
  for (const { init } of upstream.requests.slice(before)) assert.equal("traceparent" in init.headers, false);
});
