import assert from "node:assert/strict";
import { test } from "node:test";
import { listeningLine, startMessage } from "../../../src/commands/process/running.ts";

for (const host of ["127.0.0.1", "127.8.0.1", "::1", "localhost"]) {
  test(`listeningLine() prints only the address when it listens on ${host}`, () => {
    assert.equal(listeningLine("http://localhost:3000", host, 3000), "listening on http://localhost:3000\n");
  });
}

for (const host of ["0.0.0.0", "::", "192.0.2.7", "127.0.0.1.example.org"]) {
  test(`listeningLine() prints the port and address when it listens on ${host}`, () => {
    const line = listeningLine("https://keys.example.org", host, 3000);
    assert.equal(line, `listening on https://keys.example.org (port 3000 of address ${host})\n`);
  });
}

test("startMessage() says which URL to open, where codes appear, and that keys are not protected", () => {
  const words = startMessage("http://localhost:3000", "outbox");
  assert.match(words, /Open http:\/\/localhost:3000 and create an account\./);
  assert.match(words, /codes appear here and at http:\/\/localhost:3000\/dev\/outbox\./);
  assert.match(words, /the TEE is simulated/);
  assert.doesNotMatch(startMessage("http://localhost:3000", "sent"), /outbox/);
});
