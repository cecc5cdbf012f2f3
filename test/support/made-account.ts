import assert from "node:assert/strict";
import { LOCALES } from "../../src/lib/language.ts";
import type { PublicKeyCredentialCreationOptionsJSON } from "../../src/webauthn/options.ts";
import type { Visit } from "./account-story.ts";
import { createAuthenticator, FLAG } from "./authenticator.ts";
import type { SoftwareCredential } from "./authenticator.ts";
import type { AuthenticatorCredential } from "./browser.ts";
import { createClient, proveAddress } from "./client.ts";
import type { ServedApp } from "./served-app.ts";

/** A service in this process, or in another, which is asked at its socket. */
type Place = Pick<ServedApp, "baseUrl"> & Partial<ServedApp>;

/** Converts a software credential to that of the page's authenticator, which has the key from now on. */
function inBrowser(credential: SoftwareCredential): AuthenticatorCredential {
  const { id, rpId, userHandle, privateKey, signCount } = credential;
  return {
    credentialId: id.toBase64(),
    isResidentCredential: true,
    rpId,
    userHandle: userHandle.toBase64(),
    privateKey: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    signCount,
  };
}

/**
 * Creates an account without the sign-up page, which takes a second and has its own tests. The page's authenticator
 * gets the passkey, and its browser is signed in. Does not navigate the page.
 */
export async function makeAccount({ app: served, baseUrl }: Place, visit: Visit): Promise<void> {
  const { context, page, authenticator, email, language } = visit;
  const userAgent = await page.evaluate(() => navigator.userAgent);
  const client = createClient(baseUrl, (request) => {
    request.headers.set("user-agent", userAgent);
    request.headers.set("accept-language", LOCALES[language]);
    return served === undefined ? fetch(request) : served.app(request, { clientAddress: "127.0.0.1" });
  });
  assert.equal(await proveAddress(client, email), "register_passkey");
  const account = "new";
  const options = await client.post("/api/auth/passkey/registration/options", { account });
  assert.equal(options.status, 200, options.text);
  const flags = FLAG.UP | FLAG.UV | (authenticator.isBackedUp ? FLAG.BE | FLAG.BS : 0);
  const made = createAuthenticator({ flags });
  const response = await made.register(options.body as PublicKeyCredentialCreationOptionsJSON, {
    origin: baseUrl,
    transports: ["internal"],
  });
  const answer = await client.post("/api/auth/passkey/registration", { response, account });
  assert.equal(answer.status, 201, answer.text);
  await authenticator.addCredential(inBrowser(made.credentials[0]!));
  await context.addCookies(
    [...client.cookies].map(([name, value]) => ({
      name,
      value,
      url: baseUrl,
      httpOnly: true,
      sameSite: "Lax" as const,
    })),
  );
}
