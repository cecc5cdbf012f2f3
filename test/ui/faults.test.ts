import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ProtocolError } from "../../src/lib/error.ts";
import {
  checkClientMetadata,
  checkKeyAccess,
  checkLogoutMetadata,
} from "../../src/oauth/client/client-metadata.ts";
import type { ClientMetadata } from "../../src/oauth/client/client-metadata.ts";
import { ApiError } from "../../src/ui/browser/api.client.js";
import { failureSentence } from "../../src/ui/browser/failure.client.js";
import { de as kit } from "../../src/ui/messages.de.ts";
import { createTestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { installMessages } from "../support/page-messages.ts";

const GOOD: ClientMetadata = {
  name: "Books",
  uri: "https://books.example",
  type: "web",
  redirectUris: ["https://books.example/back"],
};

/** Returns the messages of the faults that the job throws. */
function faultsOf(job: () => unknown): readonly string[] {
  try {
    job();
  } catch (error) {
    if (error instanceof ProtocolError) return (error.errors ?? []).map(({ message }) => message);
    throw error;
  }
  return [];
}

const BAD_URIS = [
  "with space",
  `https://books.example/${"a".repeat(2000)}`,
  "https://books.example/#part",
  "https://*.example/",
  "books.example",
  "https://ada@books.example/",
  "ftp://books.example/",
  "https://BOOKS.example/",
  "https://books.example/?code=1",
  "https://books.example/twice",
  "https://books.example/twice",
];

const REFUSED: readonly (() => unknown)[] = [
  () => checkClientMetadata({ ...GOOD, name: "" }, "web", "public"),
  () => checkClientMetadata({ ...GOOD, uri: "com.example.app:/" }, "web", "public"),
  () => checkClientMetadata({ ...GOOD, redirectUris: [] }, "web", "public"),
  () => checkClientMetadata({ ...GOOD, redirectUris: BAD_URIS }, "web", "public"),
  () => checkClientMetadata({ ...GOOD, redirectUris: ["app:/"] }, "native", "public"),
  () => checkClientMetadata({ ...GOOD, redirectUris: Array.from({ length: 51 }, String) }, "web", "public"),
  ...["http://books.example/", "https://10.0.0.7/"].map((backchannelLogoutUri) => () =>
    checkClientMetadata({ ...GOOD, backchannelLogoutUri }, "web", "public")
  ),
  () => checkLogoutMetadata({ backchannelLogoutSessionRequired: true }),
  () => checkKeyAccess({ scopes: ["openid"], dpopBoundAccessTokens: true }, "web"),
  () => checkKeyAccess({ scopes: ["openid", "keys:sign"], dpopBoundAccessTokens: false }, "spa"),
];

/** Refused input in the forms of a user's own pages. */
const MISTYPED: readonly (readonly [method: "POST" | "PATCH", path: string, body: object])[] = [
  ["PATCH", "/api/auth/account", { name: "\u0007" }],
  ["POST", "/api/auth/account/email", { email: "ada@example.org", code: "12" }],
  ["POST", "/api/auth/account/email/code", { email: "ada" }],
  ["POST", "/api/auth/account/deletion", { confirm: "other" }],
  ["POST", "/api/auth/tokens", { name: "", keys: [], actions: [], networks: ["nowhere"] }],
  ["POST", "/api/keys/generate", { label: "\u0007" }],
  ["POST", "/api/auth/recovery", { recoveryCode: "X".repeat(101) }],
];

describe("the error of a form", () => {
  test("is German on a German page, for every error in a user's own forms", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, "ada@example.com");
    const serverSays = new Set<string>();
    for (const [method, path, body] of MISTYPED) {
      const { status, body: problem } = await client.request(method, path, { body });
      assert.equal(status, 400, path);
      for (const { message } of problem.errors) serverSays.add(message);
    }
    assert.equal(serverSays.size, 7);
    const { faults } = kit.scripts.failure;
    assert.deepEqual([...serverSays].filter((fault) => faults[fault] === undefined), []);
  });

  test("is German on a German page, for every error of an application", () => {
    const serverSays = new Set(REFUSED.flatMap(faultsOf));
    assert.equal(serverSays.size, 19);
    const { faults } = kit.admin;
    assert.deepEqual([...serverSays].filter((fault) => faults[fault] === undefined), []);
  });

  test("is chosen by the code of a problem, and generic for any other response", () => {
    const problem = { status: 502, requestId: undefined, errors: [], retryAfter: undefined, detail: "" };
    installMessages("de");
    const sentences = ["invalid_typed_data", "unknown"].map((code) =>
      failureSentence(new ApiError({ ...problem, code }))
    );
    assert.deepEqual(sentences, [
      "Das sind keine gültigen typisierten Daten (EIP-712).",
      "Der Dienst hat mit einem Fehler geantwortet. Versuchen Sie es in einem Moment noch einmal.",
    ]);
    installMessages("en");
    const unknown = new ApiError({ ...problem, code: "unknown" });
    assert.match(failureSentence(unknown), /^The service answered with an error\./);
  });
});
