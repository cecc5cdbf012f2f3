import * as openid from "openid-client";
import { ORIGIN } from "./app.ts";
import type { TestApp } from "./app.ts";
import type { Registered } from "./oauth.ts";

/** Discovers the app with openid-client for a registered client, without a socket and at the app's time. */
export async function discover(app: TestApp, client: Registered): Promise<openid.Configuration> {
  const { clientId, clientSecret } = client;
  const authentication = clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret);
  const customFetch: openid.CustomFetch = (url, { method, headers, body }) => {
    const all = new Headers(headers);
    all.set("host", new URL(ORIGIN).host);
    const request = new Request(url, { method, headers: all, body: body as BodyInit | null });
    return app.app(request, { clientAddress: "192.0.2.9" });
  };
  const metadata = { [openid.clockSkew]: Math.round((app.now - Date.now()) / 1000) };
  const options = { [openid.customFetch]: customFetch, execute: [openid.allowInsecureRequests] };
  const config = await openid.discovery(new URL(ORIGIN), clientId, metadata, authentication, options);
  config[openid.customFetch] = customFetch;
  return config;
}
