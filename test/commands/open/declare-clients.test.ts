import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { readClientsFile } from "../../../src/commands/open/declare-clients.ts";
import { ConfigError } from "../../../src/config/config.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const SECRET = "s3cret".repeat(6);
const WEB = {
  clientId: "0".repeat(26),
  name: "Books",
  uri: "https://books.example/",
  type: "web",
  redirectUris: ["https://books.example/cb"],
  clientSecretFile: "secret",
};
const { clientSecretFile: _, ...PUBLIC } = { ...WEB, clientId: "1".repeat(26), type: "spa" };

/** Writes both files, and reads that of the clients. */
function read(
  folder: string,
  clients: unknown,
  { secret = SECRET, mode = 0o600, notes = [] }: {
    secret?: string | Uint8Array | undefined;
    mode?: number;
    notes?: string[];
  } = {},
) {
  // Deleted first, because its owner may not write into a file of another mode.
  rmSync(join(folder, "secret"), { force: true });
  writeFileSync(join(folder, "secret"), secret);
  chmodSync(join(folder, "secret"), mode);
  const path = join(folder, "clients.json");
  writeFileSync(path, typeof clients === "string" ? clients : JSON.stringify(clients));
  return readClientsFile(path, "public", (line) => notes.push(line));
}

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.faults;
  }
}

describe("readClientsFile()", () => {
  test("accepts the members of a registration, an id, and a secret in another file without its last line break", () => {
    using folder = temporaryFolder();
    const { clientId, clientSecretFile: _, ...metadata } = WEB;
    for (const end of ["", "\n", "\r\n"]) {
      assert.deepEqual(read(folder.path, [WEB, { ...PUBLIC, disabled: true }], { secret: SECRET + end }), [
        { clientId, metadata, disabled: false, clientSecret: SECRET },
        {
          clientId: PUBLIC.clientId,
          metadata: { ...metadata, type: "spa" },
          disabled: true,
          clientSecret: undefined,
        },
      ]);
    }
    assert.deepEqual(read(folder.path, []), []);
    const elsewhere = { ...WEB, clientSecretFile: join(folder.path, "secret") };
    assert.equal(read(folder.path, [elsewhere])[0]!.clientSecret, SECRET);
  });

  const REFUSED: Readonly<Record<string, readonly [clients: unknown, fault: RegExp]>> = {
    "no JSON": ["[", /^CLIENTS_FILE: .*[Mm]alformed/],
    "a member twice": ['[{"name":"a","name":"b"}]', /^CLIENTS_FILE: \/0\/name: Duplicate member$/],
    "no list": [{ clients: [] }, /^CLIENTS_FILE: .*Expected a list$/],
    "an unknown member": [[{ ...WEB, colour: 1 }], /^CLIENTS_FILE: \/0\/colour: Unknown member$/],
    "a plain secret": [
      [{ ...WEB, clientSecret: SECRET }],
      /^CLIENTS_FILE: \/0\/clientSecret: Unknown member$/,
    ],
    "no id": [[{ ...WEB, clientId: undefined }], /^CLIENTS_FILE: \/0\/clientId: Missing member$/],
    "a short id": [[{ ...WEB, clientId: "0".repeat(25) }], /\/0\/clientId: Expected 26 characters/],
    "a long id": [[{ ...WEB, clientId: "0".repeat(27) }], /\/0\/clientId: Expected 26 characters/],
    "an id of other characters": [[{ ...WEB, clientId: "w".repeat(26) }], /\/0\/clientId: Expected 26/],
    "an account's id": [[{ ...WEB, clientId: `account_${"0".repeat(26)}` }], /\/0\/clientId: Expected 26/],
    "an id twice": [
      [PUBLIC, WEB, { ...WEB, name: "B" }],
      /^CLIENTS_FILE: \/2\/clientId: Expected each client once$/,
    ],
    "a place to hear of logouts that is ours": [
      [{ ...WEB, backchannelLogoutUri: "https://10.0.0.7/bcl" }],
      /^CLIENTS_FILE: \/0\/backchannelLogoutUri: /,
    ],
    "a required session without a logout URI": [
      [{ ...WEB, backchannelLogoutSessionRequired: true }],
      /^CLIENTS_FILE: \/0\/backchannelLogoutSessionRequired: /,
    ],
    "what the API refuses": [[{ ...WEB, uri: "http://books.example" }], /^CLIENTS_FILE: \/0\/uri: /],
    "a public client that signs unbound": [
      [{ ...PUBLIC, scopes: ["keys:sign"], dpopBoundAccessTokens: false }],
      /^CLIENTS_FILE: \/0\/dpopBoundAccessTokens: /,
    ],
    "no secret of a web client": [[{ ...PUBLIC, type: "web" }], /\/0\/clientSecretFile: Missing member$/],
    "a secret of a public client": [
      [{ ...WEB, type: "native", redirectUris: ["com.example.app:/cb"] }],
      /this client has no secret$/,
    ],
    "a secret that is not there": [
      [{ ...WEB, clientSecretFile: "none" }],
      /\/0\/clientSecretFile names a file that cannot be read \(ENOENT\)$/,
    ],
  };
  for (const [what, [clients, fault]] of Object.entries(REFUSED)) {
    test(`refuses ${what} with one message`, () => {
      using folder = temporaryFolder();
      const faults = faultsOf(() => read(folder.path, clients));
      assert.equal(faults.length, 1, faults.join("\n"));
      assert.match(faults[0]!, fault);
      assert.ok(faults[0]!.startsWith("CLIENTS_FILE: ") && !faults[0]!.includes(SECRET));
    });
  }

  test("refuses secrets that are short, empty, with spaces or not text, and echoes none", () => {
    using folder = temporaryFolder();
    for (
      const secret of [
        "s3c".padEnd(31, "x"),
        "",
        "\n",
        `${SECRET} ${SECRET}`,
        `${SECRET}\n\n`,
        Uint8Array.of(0xff),
      ]
    ) {
      const faults = faultsOf(() => read(folder.path, [WEB], { secret }));
      assert.equal(faults.length, 1);
      assert.match(faults[0]!, /^CLIENTS_FILE: \/0\/clientSecretFile names a file (?:that|without) /);
      assert.ok(!faults[0]!.includes("s3c"));
    }
    assert.deepEqual(faultsOf(() => read(folder.path, [WEB], { secret: "x".repeat(32) })), []);
  });

  test("names every fault, and a file that is a folder or missing", () => {
    using folder = temporaryFolder();
    const wrong = [{ ...WEB, name: "", clientSecretFile: "none" }, { ...PUBLIC, redirectUris: [] }];
    assert.equal(faultsOf(() => read(folder.path, wrong)).length, 3);
    mkdirSync(join(folder.path, "folder"));
    for (const [name, code] of [["folder", "EISDIR"], ["none", "ENOENT"]] as const) {
      const faults = faultsOf(() => readClientsFile(join(folder.path, name), "public"));
      assert.deepEqual(faults, [`CLIENTS_FILE: the file cannot be read (${code})`]);
    }
  });

  test("refuses an endless file", () => {
    assert.deepEqual(faultsOf(() => readClientsFile("/dev/zero", "public")), [
      "CLIENTS_FILE: the file is too large",
    ]);
  });

  test("warns of a secret that others may read, and uses it", () => {
    using folder = temporaryFolder();
    for (const [mode, isNoted] of [[0o600, false], [0o440, false], [0o644, true]] as const) {
      const notes: string[] = [];
      assert.equal(read(folder.path, [WEB], { mode, notes })[0]!.clientSecret, SECRET);
      const line = "CLIENTS_FILE: /0/clientSecretFile: other users may use the file (mode 644); chmod 600";
      assert.deepEqual(notes, isNoted ? [line] : []);
    }
  });
});
