import type { Client } from "../../../oauth/client/client.ts";
import { AUTHENTICATION_METHODS } from "../../../oauth/client/client.ts";
import { providerMetadata } from "../../../oauth/metadata.ts";
import type { ConnectionView } from "../../../ui/page/admin-application-page.ts";

const LIBRARY = "openid-client";

/** How a client reaches the service, with its secret where it was just made. */
export function connectionOf(client: Client, issuer: string, secret: string | undefined): ConnectionView {
  const { clientId, type, redirectUris } = client;
  const hasSecret = AUTHENTICATION_METHODS[type] !== "none";
  const endpoints = Object.entries(providerMetadata(issuer)).flatMap(([name, value]) =>
    typeof value === "string" && /_(?:endpoint|uri)$/.test(name) ? [[name, value] as const] : []
  );
  const discovery = `${issuer}/.well-known/openid-configuration`;
  return {
    issuer,
    clientId,
    secret,
    authentication: AUTHENTICATION_METHODS[type],
    endpoints: [["openid-configuration", discovery], ...endpoints],
    environment: [
      `ISSUER=${issuer}`,
      `CLIENT_ID=${clientId}`,
      ...(hasSecret ? [`CLIENT_SECRET=${secret ?? "…"}`] : []),
      `REDIRECT_URI=${redirectUris[0]!}`,
    ].join("\n"),
    snippet: [
      `import * as client from ${JSON.stringify(LIBRARY)};`,
      "",
      "const config = await client.discovery(",
      `  new URL(${JSON.stringify(issuer)}),`,
      `  ${JSON.stringify(clientId)},`,
      ...(hasSecret
        ? ["  undefined,", "  client.ClientSecretBasic(process.env.CLIENT_SECRET),"]
        : ["  undefined,", "  client.None(),"]),
      ");",
    ].join("\n"),
  };
}
