import type { Of } from "../../api/value.ts";
import { toBase64url, utf8 } from "../../lib/bytes.ts";
import type { InputFault } from "../../lib/error.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { ClientChange, ClientMetadata } from "../../oauth/client/client-metadata.ts";
import { AUTHENTICATION_METHODS } from "../../oauth/client/client.ts";
import type { Client } from "../../oauth/client/client.ts";
import { providerMetadata } from "../../oauth/metadata.ts";
import type { ApplicationForm } from "./application-form.ts";
import type { ConnectionView } from "./application-page.ts";
import { SPARE_FIELDS, URI_FIELDS } from "./schema.ts";
import type { ChangeForm } from "./schema.ts";

/** What was sent. */
export type SentForm = Omit<Of<typeof ChangeForm>, "seen"> & { readonly seen?: string };

/** What was typed in the fields of a kind, in their order, and in which fields something was. */
function typedIn(form: SentForm, prefix: "redirect" | "logout"): { texts: string[]; places: number[] } {
  const sent: Readonly<Record<string, string | undefined>> = form;
  const texts = Array.from({ length: URI_FIELDS }, (_, index) => (sent[`${prefix}${index}`] ?? "").trim());
  return { texts, places: texts.flatMap((text, index) => text === "" ? [] : [index]) };
}

function uris(form: SentForm, prefix: "redirect" | "logout"): readonly string[] {
  const { texts, places } = typedIn(form, prefix);
  return places.map((place) => texts[place]!);
}

/** What a form says of an application, as the API would be told it. */
export function metadataOf(form: SentForm): Omit<ClientMetadata, "type"> & ClientChange {
  const scopes = [
    "openid" as const,
    ...(form.read === "on" ? ["keys:read" as const] : []),
    ...(form.sign === "on" ? ["keys:sign" as const] : []),
  ];
  const backchannel = form.backchannel.trim();
  return {
    name: form.name,
    uri: form.uri.trim(),
    redirectUris: uris(form, "redirect"),
    postLogoutRedirectUris: uris(form, "logout"),
    backchannelLogoutUri: backchannel === "" ? null : backchannel,
    // Nobody who is not told is told which: the box means nothing then.
    backchannelLogoutSessionRequired: backchannel !== "" && form.session === "on",
    idTokenSignedResponseAlg: form.algorithm,
    scopes,
    // Without keys there is nothing to bind: the box means nothing then.
    ...(scopes.length > 1 && { dpopBoundAccessTokens: form.bound === "on" }),
  };
}

const OWN_FIELDS: Readonly<Record<string, string>> = {
  "/name": "name",
  "/uri": "uri",
  "/redirectUris": "redirectUris",
  "/postLogoutRedirectUris": "redirectUris",
  "/backchannelLogoutUri": "backchannel",
  "/dpopBoundAccessTokens": "bound",
};

/** The faults that the domain names, by the fields of the form in which they stand. */
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

function withSpare(texts: readonly string[]): readonly string[] {
  const last = texts.findLastIndex((text) => text !== "") + 1;
  return [...texts.slice(0, last), ...new Array<string>(URI_FIELDS).fill("")].slice(
    0,
    Math.min(URI_FIELDS, last + SPARE_FIELDS),
  );
}

/** The form as it came back, with what is wrong beside it. */
export function toSentForm(
  form: SentForm,
  type: ApplicationForm["type"],
  faults: ApplicationForm["faults"],
): ApplicationForm {
  return {
    name: form.name,
    uri: form.uri,
    type,
    redirectUris: withSpare(typedIn(form, "redirect").texts),
    logoutUris: withSpare(typedIn(form, "logout").texts),
    backchannel: form.backchannel,
    session: form.session === "on",
    algorithm: form.algorithm,
    read: form.read === "on",
    sign: form.sign === "on",
    bound: form.bound === "on",
    seen: form.seen ?? "",
    faults,
  };
}

/** The form of an application as it is. */
export function toForm(client: Client): ApplicationForm {
  const form = {
    name: client.name,
    uri: client.uri,
    type: client.type,
    redirectUris: withSpare(client.redirectUris),
    logoutUris: withSpare(client.postLogoutRedirectUris),
    backchannel: client.backchannelLogoutUri ?? "",
    session: client.backchannelLogoutSessionRequired,
    algorithm: client.idTokenSignedResponseAlg,
    read: client.keyScopes.includes("keys:read"),
    sign: client.keyScopes.includes("keys:sign"),
    bound: client.dpopBoundAccessTokens || client.keyScopes.length === 0,
    faults: {},
  };
  return { ...form, seen: toBase64url(sha256(utf8(JSON.stringify(form)))) };
}

/**
 * Whether an application is another than the form that was sent began with: what another administrator took away, as a
 * redirect URI, would be there again.
 */
export function isStale({ seen = "" }: SentForm, client: Client): boolean {
  return seen !== "" && seen !== toForm(client).seen;
}

/** The form of a new one. */
export const EMPTY_FORM: ApplicationForm = {
  name: "",
  uri: "",
  type: "web",
  redirectUris: withSpare([]),
  logoutUris: withSpare([]).slice(0, 1),
  backchannel: "",
  session: false,
  algorithm: "ES256",
  read: false,
  sign: false,
  bound: true,
  seen: "",
  faults: {},
};

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
