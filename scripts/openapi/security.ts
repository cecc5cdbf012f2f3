import type { Json } from "./schemas.ts";

export const SECURITY_SCHEMES = {
  session: {
    type: "apiKey",
    in: "cookie",
    name: "service.session_token",
    description: "The session of a user who signed in with a passkey",
  },
  token: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "hfst_…",
    description: "A program's token. It names keys and the actions that it allows",
  },
  signUp: {
    type: "apiKey",
    in: "cookie",
    name: "service.sign_up",
    description: "The right to create an account, after an e-mail code or a sign-in with another provider",
  },
  recovery: {
    type: "apiKey",
    in: "cookie",
    name: "service.recovery",
    description: "The browser that began a recovery",
  },
  admin: { type: "http", scheme: "bearer", description: "`ADMIN_API_KEY`" },
  administration: {
    type: "apiKey",
    in: "cookie",
    name: "service.administration",
    description: "A browser that entered the administrator's pages",
  },
  client: {
    type: "http",
    scheme: "basic",
    description:
      "A confidential client's id and secret (RFC 6749 section 2.3.1). A public client sends `client_id` in the form",
  },
  accessToken: {
    type: "http",
    scheme: "bearer",
    description:
      "An access token of the OAuth server. A token of type `DPoP` needs that scheme and a proof (RFC 9449)",
  },
} as const satisfies Readonly<Record<string, Json>>;

type Scheme = keyof typeof SECURITY_SCHEMES;

const anyOf = (...schemes: readonly (Scheme | "none")[]): readonly Json[] =>
  schemes.map((scheme) => scheme === "none" ? {} : { [scheme]: [] });

/** The alternative security requirements of each guard. */
export const GUARDS: Readonly<Record<string, readonly Json[]>> = {
  "public access": [],
  browser: [],
  visitor: anyOf("none", "session"),
  "page visitor": anyOf("none", "session"),
  "authorization visitor": anyOf("none", "session"),
  session: anyOf("session"),
  "page session": anyOf("session"),
  "form session": anyOf("session"),
  administrator: anyOf("administration"),
  "sign-up or session": anyOf("signUp", "session"),
  "recovery session": anyOf("recovery"),
  "session or token to read": anyOf("session", "token"),
  "session or token to sign": anyOf("session", "token"),
  "session or token to ask": anyOf("session", "token"),
  "token for /mcp": anyOf("accessToken"),
  "session or token to create": anyOf("session", "token"),
  token: anyOf("token"),
  admin: anyOf("admin"),
  "client credentials": anyOf("client", "none"),
  "access token": anyOf("accessToken"),
};
