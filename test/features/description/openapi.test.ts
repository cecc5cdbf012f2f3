import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as v from "valibot";
import { describedRoutes } from "../../../scripts/openapi/described-routes.ts";
import { generatedFiles } from "../../../scripts/openapi/files.ts";
import { Authorization, Transaction, TypedData } from "../../../src/features/signing/schema.ts";
import { checkAuthorization, checkSignRequest, checkTransaction } from "../../../src/keys/digest.ts";
import { PROBLEMS } from "../../../src/lib/error.ts";
import { createTestApp } from "../../support/app.ts";
import { assertDescribed } from "../../support/described.ts";

const ROOT = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");
const DOCUMENT = JSON.parse(read("generated/openapi.json"));
const PROSE = read("docs/reference/http-api.md");

interface DescribedResponse {
  readonly $ref?: string;
  readonly headers?: object;
  readonly content?: object;
}

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
  readonly "x-problem-codes": readonly string[];
}

const OPERATIONS = Object.values(DOCUMENT.paths as Record<string, Record<string, Described>>).flatMap(
  (methods) => Object.values(methods),
);

/** Returns the described response of an operation with a status. */
function responseOf(operationId: string, status: number): DescribedResponse {
  const response = OPERATIONS.find((operation) => operation.operationId === operationId)!.responses[status];
  assert.ok(response !== undefined, `${operationId} ${status}`);
  return response.$ref === undefined
    ? response
    : DOCUMENT.components.responses[response.$ref.split("/").at(-1)!];
}

/** Returns the names of the members of a schema. */
const membersOf = (name: string): string[] => Object.keys(DOCUMENT.components.schemas[name].properties);

/** Returns the operation of each described route. Throws for a route without one. */
const describedOperations = () => describedRoutes().map(({ description }) => description);

describe("the description of the service", () => {
  test("is generated from schemas, routes and recorded examples (npm run openapi)", async () => {
    for (const [path, text] of await generatedFiles()) {
      assert.ok(read(path) === text, `${path} is out of date`);
    }
  });

  test("is valid OpenAPI 3.1", async () => {
    assert.equal(DOCUMENT.openapi, "3.1.1");
    assert.deepEqual(await new Validator().validate(structuredClone(DOCUMENT)), { valid: true });
  });

  test("has an operation for each route, and no name twice", () => {
    const ids = describedOperations().map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
  });

  test("every problem code belongs to an operation, except those of the broker and the router", () => {
    const codes = new Set(OPERATIONS.flatMap((operation) => operation["x-problem-codes"]));
    const missing = Object.keys(PROBLEMS).filter((code) => !codes.has(code));
    assert.deepEqual(missing, ["release_refused", "method_not_allowed"]);
  });

  test("docs/reference/http-api.md names each member of the named schemas", () => {
    for (
      const name of ["Key", "Passkey", "Session", "Token", "OAuthClient", "Intent", "KeyQuote", "TypedData"]
    ) {
      for (const member of membersOf(name)) {
        assert.ok(new RegExp(`[\`{, ]${member}[\`},?: ]`).test(PROSE), `${name}.${member}`);
      }
    }
  });
});

describe("the responses of the description", () => {
  const SIGNING = ["signMessage", "signTypedData", "signTransaction", "signAuthorization"];
  const headersOf = (id: string, status: number): string[] =>
    Object.keys(responseOf(id, status).headers ?? {});
  const typesOf = (id: string, status: number): string[] => Object.keys(responseOf(id, status).content ?? {});

  test("a signature that waits for its owner has Location and Retry-After, and a made one has neither", () => {
    for (const id of SIGNING) {
      assert.deepEqual(headersOf(id, 202).slice(0, 2), ["Location", "Retry-After"], id);
      assert.deepEqual(headersOf(id, 200).filter((name) => /^(?:Location|Retry-After)$/.test(name)), [], id);
    }
    assert.deepEqual([headersOf("isReady", 200), headersOf("isReady", 503)], [[], ["Retry-After"]]);
    assert.equal(headersOf("beginIdentity", 303)[0], "Location");
  });

  test("the endpoints for OAuth clients have 401, and those of user info 403 too", () => {
    for (const id of ["exchangeToken", "revokeOAuthToken", "introspect", "getUserInfo", "postUserInfo"]) {
      assert.deepEqual(typesOf(id, 401), ["application/json"], id);
    }
    for (const id of ["getUserInfo", "postUserInfo"]) {
      assert.deepEqual(typesOf(id, 403), ["application/json"]);
    }
  });

  test("the forms have 401 for a wrong admin key, and 404 for what is not there", () => {
    for (
      const [id, status] of [["adminEnterForm", 401], ["adminPasskeyForm", 404], [
        "takeBackForm",
        404,
      ]] as const
    ) {
      assert.deepEqual(typesOf(id, status), ["text/html", "application/problem+json"], id);
    }
  });

  test("each refusal of a page is HTML, or a problem document for a client of JSON", () => {
    const pages = describedRoutes().filter(({ surface }) => surface.kind === "page");
    assert.ok(pages.length > 50);
    for (const { description: { id } } of pages) {
      const { responses } = OPERATIONS.find(({ operationId }) => operationId === id)!;
      for (const status of Object.keys(responses).map(Number).filter((one) => one >= 400)) {
        assert.deepEqual(typesOf(id, status), ["text/html", "application/problem+json"], `${id} ${status}`);
      }
    }
  });

  test("GET /dev/outbox and explain are JSON or a page", () => {
    for (const id of ["listOutbox", "explain"]) {
      assert.deepEqual(typesOf(id, 200), ["application/json", "text/html"]);
    }
  });

  test("no schema has an index type beside named members, with which generated clients do not compile", () => {
    const isIndexed = (value: unknown): boolean =>
      typeof value === "object" && value !== null &&
      ("properties" in value && "additionalProperties" in value && value.additionalProperties !== false ||
        Object.values(value).some(isIndexed));
    assert.ok(isIndexed({ a: [{ properties: {}, additionalProperties: { const: "on" } }] }));
    assert.deepEqual(OPERATIONS.filter(isIndexed).map(({ operationId }) => operationId), []);
    assert.ok(!isIndexed(DOCUMENT.components));
  });
});

const ADDRESS = "0x000000000000000000000000000000000000dEaD";
const HASH = `0x01${"00".repeat(31)}`;
const COMMON = { chainId: 1, nonce: "0", gas: 21_000, to: ADDRESS, value: "0x0", data: "0x" };
const FEES = {
  maxFeePerGas: 2,
  maxPriorityFeePerGas: 1,
  accessList: [{ address: ADDRESS, storageKeys: [HASH] }],
};
const SIGNED = { chainId: 1, address: ADDRESS, nonce: 0, yParity: 1, r: HASH, s: HASH };
const TYPED = {
  domain: { name: "Example", chainId: 1, salt: HASH },
  types: { A: [{ name: "a", type: "uint8" }] },
  primaryType: "A",
  message: { a: 1 },
};

/** The bodies of the signing endpoints: the schema that describes each, the code that reads it, and a body. */
const BODIES:
  readonly (readonly [string, v.GenericSchema, (body: unknown) => unknown, Record<string, unknown>])[] = [
    ["legacy", Transaction, checkTransaction, { type: "legacy", ...COMMON, gasPrice: 1 }],
    ["eip2930", Transaction, checkTransaction, {
      type: "eip2930",
      ...COMMON,
      gasPrice: 1,
      accessList: FEES.accessList,
    }],
    ["eip1559", Transaction, checkTransaction, { type: "eip1559", ...COMMON, ...FEES }],
    ["eip4844", Transaction, checkTransaction, {
      type: "eip4844",
      ...COMMON,
      ...FEES,
      maxFeePerBlobGas: 1,
      blobVersionedHashes: [HASH],
    }],
    ["eip7702", Transaction, checkTransaction, {
      type: "eip7702",
      ...COMMON,
      ...FEES,
      authorizationList: [SIGNED],
    }],
    ["authorization", Authorization, checkAuthorization, { chainId: 1, address: ADDRESS, nonce: 0 }],
    ["typed data", TypedData, (typedData) => checkSignRequest({ kind: "typed_data", typedData }), TYPED],
  ];

function accepts(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

for (const [name, schema, check, body] of BODIES) {
  test(`the schema and the parser of a body agree: ${name}`, () => {
    const both = (changed: unknown): readonly [boolean, boolean] => [
      v.safeParse(schema, changed).success,
      accepts(() => check(changed)),
    ];
    assert.deepEqual(both(body), [true, true]);
    assert.deepEqual(both({ ...body, surplus: 1 }), [false, false]);
    for (const member of Object.keys(body)) {
      const { [member]: _, ...rest } = body;
      const [described, taken] = both(rest);
      // It may go by two names, which a simple schema cannot express.
      if (member !== "gas") assert.equal(described, taken, `without ${member}`);
      assert.deepEqual(both({ ...body, [member]: true }), [false, false], `${member} is true`);
    }
  });
}

describe("GET /openapi.json, GET /docs/api", () => {
  test("name this service's origin, and may be read from every origin", async () => {
    await using app = await createTestApp({ origin: "http://localhost:4000" });
    const answer = await app.client().get("/openapi.json");
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.deepEqual(answer.body, { ...DOCUMENT, servers: [{ url: "http://localhost:4000" }] });
  });

  test("the page shows every operation, needs no script, and has a command with the origin for each", async () => {
    await using app = await createTestApp({ origin: "http://localhost:4000" });
    const { text, headers } = await app.client().get("/docs/api");
    assert.match(headers.get("content-type")!, /^text\/html/);
    assert.doesNotMatch(text, /<script/);
    const operations = describedOperations();
    for (const { id } of operations) assert.ok(text.includes(`id="${id}"`), id);
    assert.equal(text.match(/<pre class="api-curl"/g)!.length, operations.length);
    assert.ok(text.includes("http://localhost:4000/api/keys/$KEY_ID/sign&quot;"));
    for (const [, target] of text.matchAll(/href="#([\w-]+)"/g)) {
      assert.ok(text.includes(`id="${target}"`), `there is #${target}`);
    }
  });
});

test("assertDescribed() finds a member, a status, a media type and a code that the description lacks", async () => {
  const request = new Request("http://localhost:3000/livez");
  const answers: readonly (readonly [RegExp, Response])[] = [
    [/not as described/, Response.json({ status: "live", more: 1 })],
    [/not as described/, Response.json({ status: "dead" })],
    [/is not described/, Response.json({ status: "live" }, { status: 201 })],
    [/is text\/html/, new Response("live", { headers: { "content-type": "text/html; charset=utf-8" } })],
    [/is \. Describe/, new Response(null)],
    [
      /refuses with key_archived/,
      new Response(
        JSON.stringify({
          type: "about:blank",
          title: "",
          status: 409,
          detail: "",
          code: "key_archived",
          requestId: "",
        }),
        { status: 409, headers: { "content-type": "application/problem+json" } },
      ),
    ],
  ];
  for (const [fault, answer] of answers) await assert.rejects(assertDescribed(request, answer), fault);
  await assertDescribed(request, Response.json({ status: "live" }));
});
