import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { decodeJwt } from "jose";
import { ORIGIN } from "../support/app.ts";
import { createClient, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { getTokens, registerClient } from "../support/oauth.ts";
import { sendTo, startTwo } from "../support/two-processes.ts";

const SESSIONS = 12;

/** Opens an application that counts the logout tokens it receives per `sid`. */
async function openReceiver() {
  const tries = new Map<string, number>();
  const taken = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Uint8Array) => body += new TextDecoder().decode(chunk));
    request.on("end", () => {
      const token = new URLSearchParams(body).get("logout_token")!;
      const { sid } = decodeJwt<{ sid: string }>(token);
      tries.set(sid, (tries.get(sid) ?? 0) + 1);
      response.end();
      if (tries.size === SESSIONS) taken.resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bcl`,
    tries,
    allTaken: taken.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("two processes deliver each logout token once", { timeout: 120_000 }, async () => {
  await using receiver = await openReceiver();
  const sids: string[] = [];
  {
    await using two = await startTwo({ RATE_LIMITS: "off" });
    const [provider] = two.providers;
    const client = await registerClient(provider, { backchannelLogoutUri: receiver.uri });
    const { client: person } = two.browser();
    await signUp(person, "ada@example.com");
    const browsers: Client[] = [];
    for (let n = 0; n < SESSIONS; n++) {
      const browser = {
        ...createClient(ORIGIN, (request) => sendTo(two.addresses[n % 2]!, request)),
        authenticator: person.authenticator,
      };
      assert.equal((await signIn(browser)).status, 200);
      const { id_token } = await getTokens(provider, browser, client);
      sids.push(decodeJwt<{ sid: string }>(id_token).sid);
      browsers.push(browser);
    }
    assert.equal(receiver.tries.size, 0);
    await Promise.all(browsers.map((browser) => browser.post("/api/auth/sign-out")));
    await receiver.allTaken;
    // Both processes finish their deliveries before they stop.
  }
  assert.deepEqual([...receiver.tries.keys()].toSorted(), sids.toSorted());
  assert.deepEqual([...receiver.tries.values()], sids.map(() => 1));
});
