import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { verifyMessage } from "ethers";
import { bundle } from "../../scripts/executable.ts";
import { buildPackage } from "../../scripts/npm-package.ts";
import { makeSimulatedCollateral } from "../../src/tee/simulated/simulated-collateral.ts";
import { makeSimulatedPki } from "../../src/tee/simulated/simulated-pki.ts";
import { useStage } from "../support/account-story.ts";
import { createClient, signUp } from "../support/client.ts";
import { findFreePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temporary.ts";

const LIMIT = { timeout: 60_000 };
/** The script of a page of another origin: signs, and reads a receipt of the log. */
const PROGRAM = `
  import { createClient, untilSigned } from "/client.js";
  window.signHello = async (baseUrl, token) => {
    const client = createClient({ baseUrl, token });
    const { keys: [key] } = await client.listKeys();
    const answer = await client.signMessage({ keyId: key.id, body: { message: "hello" } });
    const { signature, address } = await untilSigned(client, answer);
    const refused = await client.getKey({ keyId: "unknown" }).catch(({ code, requestId }) => ({ code, requestId }));
    return { signature, address, receipt: client.receipt(), refused };
  };
`;

const NONCE = "AAAAAAAAAAAAAAAAAAAAAA";
const ANY = { mrTd: "any", rtmr0: "any", rtmr1: "any", rtmr2: "any", rtmr3: "any", mrConfigId: "any" };
/** The script of a relying party's page: returns the names of the failed checks. */
const VERIFIER = `
  import { verifyKey } from "/tee/quote/web.js";
  import { parseRoot } from "/tee/quote/certificate.js";
  import { parseCollateral } from "/tee/quote/collateral.js";
  window.verify = async ({ answer, nonce, address, collateral, root, now }) => {
    const known = { registers: ${JSON.stringify(ANY)}, keyProvider: "any", nonce, address, now };
    const expected = { ...known, collateral: parseCollateral(collateral), root: parseRoot(root) };
    const { passed, checks } = await verifyKey({ answer, expected });
    const faults = checks.filter(({ verdict }) => verdict !== "passed" && verdict !== "waived");
    return passed === (faults.length === 0) ? faults.map(({ name }) => name) : ["passed"];
  };
`;

describe("programs in a real browser", () => {
  const stage = useStage();

  test(
    "a page of another origin signs with the client, and reads receipts and request ids",
    LIMIT,
    async () => {
      using folder = temporaryFolder();
      const file = join(folder.path, "client.js");
      bundle("src/client/client.ts", file, ["--minify", "--target=browser", "--format=esm"]);
      const { baseUrl } = stage.served;
      const person = createClient(baseUrl, (request) => fetch(request));
      await signUp(person, "browser-program@example.com");
      const made = await person.post("/api/auth/tokens", {
        name: "Page",
        keys: "all",
        actions: ["read", "sign"],
      });
      const { page } = await stage.newAccount();
      const server = createServer((request, response) => {
        const isScript = request.url === "/client.js";
        response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
        response.end(isScript ? readFileSync(file) : `<script type="module">${PROGRAM}</script>`);
      });
      const port = await findFreePort();
      await new Promise<void>((resolve) => server.listen(port, "localhost", resolve));
      await page.goto(`http://localhost:${port}/`);
      await page.waitForFunction("window.signHello !== undefined");
      const found = await page.evaluate(
        `signHello(${JSON.stringify(baseUrl)}, ${JSON.stringify(made.body.text)})`,
      ) as Record<"signature" | "address" | "receipt", string> & {
        refused: Record<"code" | "requestId", string>;
      };
      server.close();
      server.closeAllConnections();
      assert.equal(verifyMessage("hello", found.signature), found.address);
      assert.match(found.receipt, /./);
      assert.equal(found.refused.code, "not_found");
      assert.match(found.refused.requestId, /^[0-9a-f]{32}$/);
    },
  );

  test("a page verifies a key's quote with the package as it is published", LIMIT, async () => {
    using folder = temporaryFolder();
    const built = join(folder.path, "built");
    buildPackage(built);
    const { app, baseUrl } = stage.served;
    const person = createClient(baseUrl, (request) => fetch(request));
    const { body: { key } } = await signUp(person, "verifier@example.com");
    const answer = (await person.get(`/api/keys/${key.id}/quote?nonce=${NONCE}`)).body;
    const pki = makeSimulatedPki(await app.tee.sealingKey());
    const given = {
      answer,
      nonce: NONCE,
      address: key.address,
      collateral: makeSimulatedCollateral(pki),
      root: pki.rootCertificate,
      now: app.now,
    };
    const { page } = await stage.newAccount();
    const server = createServer((request, response) => {
      const isScript = request.url!.endsWith(".js");
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.end(
        isScript ? readFileSync(join(built, request.url!)) : `<script type="module">${VERIFIER}</script>`,
      );
    });
    const port = await findFreePort();
    await new Promise<void>((resolve) => server.listen(port, "localhost", resolve));
    await page.goto(`http://localhost:${port}/`);
    await page.waitForFunction("window.verify !== undefined");
    const verify = (change: object) => page.evaluate(`verify(${JSON.stringify({ ...given, ...change })})`);
    assert.deepEqual(await verify({}), []);
    assert.deepEqual(await verify({ nonce: NONCE.replace("A", "B") }), ["nonce"]);
    const quote = Uint8Array.fromBase64(answer.quote);
    // Within TD report and signature.
    const forged = quote.with(200, quote[200]! ^ 1).toBase64();
    assert.ok(
      (await verify({ answer: { ...answer, quote: forged } }) as string[]).includes("quote_signature"),
    );
    server.close();
    server.closeAllConnections();
  });

  test(
    "the reference is read in the dark, on a narrow window, and moves nothing sideways",
    LIMIT,
    async () => {
      const { page, faults } = await stage.newAccount({
        viewport: { width: 360, height: 800 },
        colorScheme: "dark",
      });
      await page.goto(`${stage.served.baseUrl}/docs/api#signMessage`);
      for (const summary of await page.locator("#signMessage summary").all()) await summary.click();
      const [inside, outside] = await page.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      );
      assert.ok(inside <= outside, `${inside} > ${outside}`);
      assert.deepEqual(faults, []);
    },
  );
});
