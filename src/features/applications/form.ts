import { toBase64url, utf8 } from "../../lib/bytes.ts";
import { type InputFault, ProtocolError } from "../../lib/error.ts";
import { parseJson } from "../../lib/json.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { ClientChange, ClientMetadata } from "../../oauth/client/client-metadata.ts";
import { CLAIM_SCOPES, type ClaimScope } from "../../oauth/scope.ts";
import type { AuthenticationMethod, Client } from "../../oauth/client/client.ts";
import { providerEndpoints } from "../../oauth/metadata.ts";
import type { ApplicationForm } from "./application-form.ts";
import type { ConnectionView } from "./application-page.ts";
import { type ChangeFields, SPARE_FIELDS, URI_FIELDS } from "./schema.ts";

export type SentForm = Omit<ChangeFields, "seen"> & { readonly seen?: string };

/** Returns the trimmed texts of the fields with this prefix, and the indexes of those that are not empty. */
function typedIn(form: SentForm, prefix: "redirect" | "logout"): { texts: string[]; places: number[] } {
  const sent: Readonly<Record<string, string | undefined>> = form;
  const texts = Array.from({ length: URI_FIELDS }, (_, index) => (sent[`${prefix}${index}`] ?? "").trim());
  return { texts, places: texts.flatMap((text, index) => text === "" ? [] : [index]) };
}

function uris(form: SentForm, prefix: "redirect" | "logout"): readonly string[] {
  const { texts, places } = typedIn(form, prefix);
  return places.map((place) => texts[place]!);
}

const GROUP_BOX = "group:";

function chosenGroups(form: object): readonly string[] {
  return Object.keys(form).filter((name) => name.startsWith(GROUP_BOX))
    .map((name) => name.slice(GROUP_BOX.length));
}

function chosenClaims(form: Readonly<Partial<Record<ClaimScope, unknown>>>): readonly ClaimScope[] {
  return CLAIM_SCOPES.filter((scope) => form[scope] === "on");
}

/** Returns the method and its keys. Those of a former method are ignored. */
function authenticationOf(
  { method, jwks, jwksUri }: SentForm,
): Pick<ClientChange, "tokenEndpointAuthMethod" | "jwks" | "jwksUri"> {
  if (method === "client_secret_basic") return { tokenEndpointAuthMethod: method };
  return {
    ...(method === "usual" ? {} : { tokenEndpointAuthMethod: method }),
    ...(jwks.trim() === "" ? {} : { jwks: parseKeySet(jwks) }),
    ...(jwksUri.trim() === "" ? {} : { jwksUri: jwksUri.trim() }),
  };
}

/** Parses a typed key set. Returns a text that is no JSON as it is: the domain refuses it as no key set. */
function parseKeySet(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return text;
  }
}

export function metadataOf(form: SentForm): Omit<ClientMetadata, "type"> & ClientChange {
  const keyScopes = [
    ...(form.read === "on" ? ["keys:read" as const] : []),
    ...(form.sign === "on" ? ["keys:sign" as const] : []),
  ];
  const scopes = ["openid" as const, ...chosenClaims(form), ...keyScopes];
  const backchannel = form.backchannel.trim();
  return {
    name: form.name,
    uri: form.uri.trim(),
    redirectUris: uris(form, "redirect"),
    postLogoutRedirectUris: uris(form, "logout"),
    backchannelLogoutUri: backchannel === "" ? null : backchannel,
    // Ignored without a logout URI: the domain rejects it, because no logout token is sent.
    backchannelLogoutSessionRequired: backchannel !== "" && form.session === "on",
    idTokenSignedResponseAlg: form.algorithm,
    scopes,
    requirePushedAuthorizationRequests: form.pushed === "on",
    deviceGrant: form.device === "on",
    groups: form.access === "everyone" ? null : chosenGroups(form),
    ...authenticationOf(form),
    // Ignored without a key scope: the domain rejects it, because there are no tokens to bind.
    ...(keyScopes.length > 0 && { dpopBoundAccessTokens: form.bound === "on" }),
  };
}

const OWN_FIELDS: Readonly<Record<string, string>> = {
  "/name": "name",
  "/uri": "uri",
  "/redirectUris": "redirectUris",
  "/postLogoutRedirectUris": "redirectUris",
  "/backchannelLogoutUri": "backchannel",
  "/dpopBoundAccessTokens": "bound",
  "/tokenEndpointAuthMethod": "method",
  "/jwks": "jwks",
  "/jwksUri": "jwksUri",
};

export function faultsOf(form: SentForm, errors: readonly InputFault[]): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const { path, message } of errors) {
    const [, kind, index] = /^\/(redirect|postLogoutRedirect)Uris\/(\d+)$/.exec(path ?? "") ?? [];
    if (kind === undefined) {
      faults[OWN_FIELDS[path ?? ""] ?? "name"] = message;
      continue;
    }
    const prefix = kind === "redirect" ? "redirect" : "logout";
    faults[`${prefix}${typedIn(form, prefix).places[Number(index)]}`] = message;
  }
  return faults;
}

function withSpareFields(texts: readonly string[]): readonly string[] {
  const last = texts.findLastIndex((text) => text !== "") + 1;
  return [...texts.slice(0, last), ...new Array<string>(URI_FIELDS).fill("")].slice(
    0,
    Math.min(URI_FIELDS, last + SPARE_FIELDS),
  );
}

export function toSentForm(
  form: SentForm,
  type: ApplicationForm["type"],
  faults: ApplicationForm["faults"],
): ApplicationForm {
  return {
    name: form.name,
    uri: form.uri,
    type,
    redirectUris: withSpareFields(typedIn(form, "redirect").texts),
    logoutUris: withSpareFields(typedIn(form, "logout").texts),
    backchannel: form.backchannel,
    session: form.session === "on",
    algorithm: form.algorithm,
    claims: chosenClaims(form),
    read: form.read === "on",
    sign: form.sign === "on",
    bound: form.bound === "on",
    pushed: form.pushed === "on",
    device: form.device === "on",
    method: form.method,
    jwks: form.jwks,
    jwksUri: form.jwksUri,
    groups: form.access === "everyone" ? null : chosenGroups(form),
    seen: form.seen ?? "",
    faults,
  };
}

export function toForm(client: Client): ApplicationForm {
  const form = {
    name: client.name,
    uri: client.uri,
    type: client.type,
    redirectUris: withSpareFields(client.redirectUris),
    logoutUris: withSpareFields(client.postLogoutRedirectUris),
    backchannel: client.backchannelLogoutUri ?? "",
    session: client.backchannelLogoutSessionRequired,
    algorithm: client.idTokenSignedResponseAlg,
    claims: client.claimScopes,
    read: client.keyScopes.includes("keys:read"),
    sign: client.keyScopes.includes("keys:sign"),
    bound: client.dpopBoundAccessTokens || client.keyScopes.length === 0,
    pushed: client.requirePushedAuthorizationRequests,
    device: client.deviceGrant,
    method: client.tokenEndpointAuthMethod,
    jwks: client.keys?.jwks === undefined ? "" : JSON.stringify({ keys: client.keys.jwks }, null, 2),
    jwksUri: client.keys?.jwksUri ?? "",
    groups: client.groups,
    faults: {},
  };
  return { ...form, seen: toBase64url(sha256(utf8(JSON.stringify(form)))) };
}

/** Returns true if the application changed since the form was opened: saving would undo that change. */
export function isStale({ seen = "" }: SentForm, client: Client): boolean {
  return seen !== "" && seen !== toForm(client).seen;
}

export const EMPTY_FORM: ApplicationForm = {
  name: "",
  uri: "",
  type: "web",
  redirectUris: withSpareFields([]),
  logoutUris: withSpareFields([]).slice(0, 1),
  backchannel: "",
  session: false,
  algorithm: "ES256",
  claims: [],
  read: false,
  sign: false,
  bound: true,
  pushed: false,
  device: false,
  method: "usual",
  jwks: "",
  jwksUri: "",
  groups: null,
  seen: "",
  faults: {},
};

const LIBRARY = "openid-client";

/** The argument of the library by method. */
const AUTHENTICATIONS: Readonly<Record<AuthenticationMethod, string>> = {
  client_secret_basic: "ClientSecretBasic(process.env.CLIENT_SECRET)",
  private_key_jwt: "PrivateKeyJwt(privateKey)",
  none: "None()",
};

export function connectionOf(client: Client, issuer: string, secret: string | undefined): ConnectionView {
  const { clientId, tokenEndpointAuthMethod: method, redirectUris } = client;
  const hasSecret = method === "client_secret_basic";
  const discovery = `${issuer}/.well-known/openid-configuration`;
  return {
    issuer,
    clientId,
    secret,
    authentication: method,
    endpoints: [["openid-configuration", discovery], ...providerEndpoints(issuer)],
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
      "  undefined,",
      `  client.${AUTHENTICATIONS[method]},`,
      ");",
    ].join("\n"),
  };
}
