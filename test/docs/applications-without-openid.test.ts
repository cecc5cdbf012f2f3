import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ADMIN_KEY, createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import type { Registered } from "../support/oauth.ts";
import { findFreePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { getCode, jwtPart, redeem } from "../features/authorization/story.ts";

const PATH = fileURLToPath(new URL("../../docs/how-to/applications-without-openid.md", import.meta.url));
const PAGE = readFileSync(PATH, "utf8");

function blockOf(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(PAGE) ?? [];
  assert.ok(text !== undefined, `The page has a block of ${language}`);
  return text;
}

function settingOf(name: string): string {
  const [, value] = new RegExp(`^${name} = "(.*)"$`, "m").exec(blockOf("toml")) ?? [];
  assert.ok(value !== undefined, name);
  return value;
}

test("the registration and the settings of oauth2-proxy give it the claims that it needs", async () => {
  await using app = await createTestApp();
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const answer = await app.client().post("/api/admin/oauth/clients", JSON.parse(blockOf("json")), {
    headers,
  });
  assert.equal(answer.status, 201, answer.text);
  const client: Registered = answer.body.client;
  assert.deepEqual(client.redirectUris, [settingOf("redirect_url")]);
  const { body: metadata } = await app.client().get("/.well-known/openid-configuration");
  assert.ok(metadata.code_challenge_methods_supported.includes(settingOf("code_challenge_method")));
  const browser = app.client();
  const { account } = (await signUp(browser, "ada@example.com")).body;
  const code = await getCode(browser, client, { scope: settingOf("scope") });
  const { body: tokens } = await redeem(app, client, code);
  const { sub, email, email_verified, groups } = jwtPart(tokens.id_token, 1);
  assert.deepEqual([sub, email, email_verified, groups], [account.id, "ada@example.com", true, []]);
});

interface StandIn extends AsyncDisposable {
  readonly port: number;
}

async function serveHttp(listener: RequestListener): Promise<StandIn> {
  const port = await findFreePort();
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts nginx with the page's server, without TLS and with these ports. Resolves when it answers. */
async function serveNginx(ports: { readonly application: number; readonly proxy: number }): Promise<StandIn> {
  const folder = temporaryFolder();
  const port = await findFreePort();
  const server = blockOf("nginx").replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replaceAll(/^ +ssl_certificate.*\n/gm, "").replaceAll("127.0.0.1:4180", `127.0.0.1:${ports.proxy}`)
    .replace("127.0.0.1:8080", `127.0.0.1:${ports.application}`);
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const folders = kinds.map((kind) => `${kind}_temp_path ${folder.path}/${kind};`).join("\n");
  const path = join(folder.path, "nginx.conf");
  writeFileSync(
    path,
    `pid ${folder.path}/pid;\nevents {}\nhttp {\naccess_log off;\n${folders}\n${server}\n}\n`,
  );
  const child = spawn("nginx", ["-e", "stderr", "-p", folder.path, "-c", path, "-g", "daemon off;"]);
  const errors: string[] = [];
  child.stderr.on("data", (chunk) => errors.push(String(chunk)));
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) throw new Error(errors.join(""));
    if (await fetch(`http://127.0.0.1:${port}/`, { redirect: "manual" }).then(() => true, () => false)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      folder[Symbol.dispose]();
    },
  };
}

const SKIP = spawnSync("nginx", ["-v"]).status === 0 ? false : "There is no nginx";

test("nginx lets signed-in people through, and says who they are", { skip: SKIP }, async () => {
  await using application = await serveHttp(({ headers, url }, response) => {
    response.end(JSON.stringify([url, headers["x-user"], headers["x-email"], headers["x-groups"]]));
  });
  // Stands in for oauth2-proxy, which answers 202 or 401 at /oauth2/auth.
  await using proxy = await serveHttp(({ headers, url }, response) => {
    if (url !== "/oauth2/auth") return response.end(`proxy ${url}`);
    const isSignedIn = headers.cookie === "_oauth2_proxy=good";
    response.writeHead(isSignedIn ? 202 : 401, {
      "x-auth-request-user": "account_1",
      "x-auth-request-email": "ada@example.com",
      "x-auth-request-groups": "staff",
    });
    return response.end();
  });
  await using nginx = await serveNginx({ application: application.port, proxy: proxy.port });
  const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const init = { method, headers, redirect: "manual" } as const;
    const response = await fetch(`http://127.0.0.1:${nginx.port}${path}`, init);
    return {
      status: response.status,
      text: await response.text(),
      location: response.headers.get("location"),
    };
  };
  for (const headers of [{}, { "x-user": "account_2" }, { cookie: "_oauth2_proxy=bad" }]) {
    const { status, location } = await ask("/page?a=1", headers);
    assert.equal(status, 302);
    assert.match(location!, /\/oauth2\/sign_in\?rd=\/page\?a=1$/);
  }
  const signedIn = { cookie: "_oauth2_proxy=good", "x-user": "account_2", "x-groups": "admin" };
  const expected = JSON.stringify(["/page?a=1", "account_1", "ada@example.com", "staff"]);
  for (const method of ["GET", "POST"]) {
    assert.equal((await ask("/page?a=1", signedIn, method)).text, expected);
  }
  assert.equal((await ask("/oauth2/callback?code=1")).text, "proxy /oauth2/callback?code=1");
  assert.equal((await ask("/oauth2/auth", signedIn)).status, 404, "it is internal");
});
