import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readLogo } from "../../../src/config/logo.ts";
import { createTestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";

const NAME = `Tom & <b>"Ada"</b>`;
const ESCAPED = "Tom &amp; &lt;b&gt;&quot;Ada&quot;&lt;/b&gt;";
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h1v1z"/></svg>';

describe("the name and logo of the service", () => {
  test("are on pages, in mails and in passkey prompts, the name escaped", async () => {
    const logo = readLogo(new TextEncoder().encode(SVG));
    await using app = await createTestApp({ environment: { SERVICE_NAME: NAME }, logo });
    const client = app.client();
    await signUp(client, "ada@example.com");
    for (
      const [browser, path] of [[app.client(), "/"], [app.client(), "/nowhere"], [
        client,
        "/account",
      ]] as const
    ) {
      const { text } = await browser.get(path, { headers: { accept: "text/html" } });
      assert.ok(text.includes(`· ${ESCAPED}</title>`), path);
      assert.ok(text.includes(`<link rel="icon" type="image/svg+xml" href="${logo.path}">`), path);
      assert.ok(text.includes(`<img src="${logo.path}" alt="" width="28" height="28">${ESCAPED}</a>`), path);
      assert.ok(!text.includes("<b>") && !text.includes("Holdfast"), path);
    }
    const { body: outbox } = await client.get("/dev/outbox", { headers: { accept: "application/json" } });
    const [mail] = outbox.messages;
    assert.equal(mail.subject, `Your ${NAME} code`);
    assert.ok(mail.text.includes(`Your code for ${NAME} (localhost) is`), mail.text);
    const { body: options } = await client.post("/api/auth/passkey/registration/options");
    assert.equal(options.rp.name, NAME);
  });

  test("a logo is served under its hash alone, with a policy that allows nothing", async () => {
    const logo = readLogo(new TextEncoder().encode(SVG));
    await using app = await createTestApp({ logo });
    const { status, headers, text } = await app.client().get(logo.path);
    assert.deepEqual([status, text], [200, SVG]);
    assert.equal(headers.get("content-type"), "image/svg+xml");
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal((await app.client().get("/assets/0123456789abcdef/logo.svg")).status, 404);
    await using other = await createTestApp();
    assert.equal((await other.client().get(logo.path)).status, 404);
  });
});
