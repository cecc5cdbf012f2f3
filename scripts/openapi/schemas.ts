import { type JsonSchema, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import * as account from "../../src/api/account.ts";
import * as application from "../../src/api/application.ts";
import * as explanation from "../../src/api/explanation.ts";
import * as key from "../../src/api/key.ts";
import * as passkey from "../../src/api/passkey.ts";
import * as policy from "../../src/api/policy.ts";
import * as problems from "../../src/api/problem.ts";
import * as recovery from "../../src/api/recovery.ts";
import * as session from "../../src/api/session.ts";
import * as signature from "../../src/api/signature.ts";
import * as token from "../../src/api/token.ts";
import * as values from "../../src/api/value.ts";
import * as webauthn from "../../src/api/webauthn.ts";
import * as ownAccount from "../../src/features/account/schema.ts";
import * as activity from "../../src/features/activity/schema.ts";
import * as applications from "../../src/features/applications/schema.ts";
import * as authorization from "../../src/features/authorization/schema.ts";
import * as operations from "../../src/features/operations/schema.ts";
import * as settings from "../../src/features/settings/schema.ts";
import * as signIn from "../../src/features/sign-in/schema.ts";
import * as rpc from "../../src/features/signing/json-rpc.ts";
import type { AnySchema } from "../../src/api/value.ts";
import { KeyQuote } from "../../src/features/keys/schema.ts";
import {
  AccessList,
  Authorization,
  Integer,
  Message,
  RpcCall,
  Transaction,
  TypedData,
} from "../../src/features/signing/schema.ts";
import { describedRoutes } from "./described-routes.ts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type Members = { readonly [name: string]: Json };

/** The schemas of requests that have a name in the document. */
const BODIES: Readonly<Record<string, AnySchema>> = {
  AccessList,
  Authorization,
  Integer,
  Message,
  RpcCall,
  Transaction,
  TypedData,
};

/** The schemas by which requests are read. Only those of `BODIES` have a name. */
const READ: ReadonlySet<unknown> = new Set(
  describedRoutes().flatMap(({ description: { query, body } }) => [query, body]),
);

/** The schemas that have a name in the document, by that name. */
const NAMED: Readonly<Record<string, AnySchema>> = Object.fromEntries(
  [
    account,
    application,
    explanation,
    key,
    passkey,
    policy,
    problems,
    recovery,
    session,
    signature,
    token,
    values,
    webauthn,
    ownAccount,
    activity,
    applications,
    authorization,
    operations,
    settings,
    signIn,
    rpc,
    BODIES,
    { KeyQuote },
  ]
    .flatMap((file) => Object.entries(file) as [string, unknown][])
    .filter((entry): entry is [string, AnySchema] =>
      (entry[1] as { readonly kind?: unknown } | null)?.kind === "schema" &&
      !["DeclaredEntries", "Label", "PasskeyName", "Signed"].includes(entry[0]) &&
      (!READ.has(entry[1]) || Object.hasOwn(BODIES, entry[0]))
    ),
);

const OPTIONS = {
  target: "draft-2020-12",
  typeMode: "input",
  // Ignores checks that are code, which JSON Schema cannot express.
  errorMode: "ignore",
  overrideRef: ({ referenceId }: { readonly referenceId: string }) => `#/components/schemas/${referenceId}`,
} as const;

/** Requests are strict. In responses, a client ignores unknown members. */
type Direction = "request" | "answer";

/**
 * Leaves out members of a schema. A schema of further members beside named ones is left out: generators make it an
 * index type, which the named members contradict.
 */
function adapt(value: unknown, direction: Direction): Json {
  if (Array.isArray(value)) return value.map((item) => adapt(item, direction));
  if (typeof value !== "object" || value === null) return value as Json;
  const isIndex = (member: unknown): boolean =>
    member === false ? direction === "answer" : Object.hasOwn(value, "properties");
  const members = Object.entries(value).filter(([name, member]) =>
    name !== "$schema" && name !== "$defs" && !(name === "additionalProperties" && isIndex(member))
  );
  return Object.fromEntries(members.map(([name, member]) => [name, adapt(member, direction)]));
}

/** Returns the named schemas. Those of `BODIES` are of requests, the others of responses. */
export function namedSchemas(): Members {
  const defs = toJsonSchemaDefs(NAMED as never, OPTIONS) as Readonly<Record<string, JsonSchema>>;
  const isBody = (name: string): boolean => Object.hasOwn(BODIES, name);
  return Object.fromEntries(
    Object.entries(defs).map(([name, schema]) => [name, adapt(schema, isBody(name) ? "request" : "answer")]),
  );
}

export function schemaOf(schema: AnySchema, direction: Direction): Json {
  const named = Object.entries(NAMED).find(([, known]) => known === schema);
  if (named !== undefined) return { $ref: `#/components/schemas/${named[0]}` };
  return adapt(toJsonSchema(schema as never, { ...OPTIONS, definitions: NAMED as never }), direction);
}
