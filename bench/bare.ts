/**
 * The work that a request cannot avoid, and nothing else: cryptography and database of the same runtime on one core,
 * in the plainest code. The service's results are given as a ratio to this.
 */
import { createHmac, hkdfSync } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { getPublicKey, hashes, sign } from "@noble/secp256k1";
import { keccak256 } from "../src/ethereum/keccak.ts";
import { hashTypedData, parseTypedData } from "../src/ethereum/typed-data/typed-data.ts";
import { utf8 } from "../src/lib/bytes.ts";
import { MAIL } from "../test/ethereum/mail.ts";
import { temporaryFolder } from "../test/support/temporary.ts";
import { answerRequests } from "./worker.ts";

/** The work, and its duration. */
export interface BareRequest {
  readonly work: BareWork;
  readonly milliseconds: number;
}

export interface BareAnswer {
  readonly perSecond: number;
  /** Microseconds of processor time for a piece. */
  readonly processor: number;
}

/** Jobs that share a commit in `signSharedCommit`: the number that the load keeps in flight. */
const SHARED = 32;

const PRIVATE_KEY = new Uint8Array(32).fill(7);
const MAC_KEY = new Uint8Array(32).fill(9);
const MESSAGE = utf8("\x19Ethereum Signed Message:\n13Hello, world!");
/** About the number of authenticated bytes in a key's row. */
const ROW_BYTES = new Uint8Array(330);
const ADDRESS_TEXT = utf8("fe4c1ec5d2f0a4d3f1f4f1a9a0c3e4b5d6f70819");

hashes.hmacSha256 = (key, data) => new Uint8Array(createHmac("sha256", key).update(data).digest());

using folder = temporaryFolder();
const database = openBareDatabase(join(folder.path, "bare.db"));
const insert = database.prepare("insert into entry (at, text, hash) values (?, ?, ?)");
const selectKeys = database.prepare("select * from key where id <= ? order by id");
const selectRow = database.prepare("select * from key where id = ?");

function openBareDatabase(path: string): DatabaseSync {
  const opened = new DatabaseSync(path);
  opened.exec("pragma journal_mode = wal; pragma synchronous = full");
  opened.exec("create table entry (seq integer primary key, at integer, text text, hash blob) strict");
  opened.exec(
    "create table key (id integer primary key, account text, key_index integer, address blob, public_key blob," +
      " label text, blind_signing text, created_at integer, archived_at integer, mac blob) strict",
  );
  const add = opened.prepare("insert into key values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  opened.exec("begin");
  const [address, publicKey] = [new Uint8Array(20), new Uint8Array(65)];
  for (let id = 1; id <= 1000; id++) {
    const label = `Key ${id}`;
    add.run(id, "acct_0123456789abcdefghijklmnop", id, address, publicKey, label, "allow", 1, null, MAC_KEY);
  }
  opened.exec("commit");
  return opened;
}

function rowMac(): Uint8Array {
  return createHmac("sha256", MAC_KEY).update(ROW_BYTES).digest();
}

function signOnce(): void {
  sign(keccak256(MESSAGE), PRIVATE_KEY, { prehash: false, format: "recovered" });
}

function append(): void {
  insert.run(1, "message_signed", MAC_KEY);
}

function listKeys(count: number): void {
  for (const _ of selectKeys.all(count)) {
    rowMac();
    // Each address is shown with its checksum.
    keccak256(ADDRESS_TEXT);
  }
}

/** The works. Each does its work once and returns the number of pieces. */
const WORK = {
  sign: () => (signOnce(), 1),
  signTypedData: () => {
    sign(hashTypedData(parseTypedData(MAIL)).digest, PRIVATE_KEY, { prehash: false, format: "recovered" });
    return 1;
  },
  signOwnCommit: () => (append(), signOnce(), 1),
  signSharedCommit: () => {
    database.exec("begin immediate");
    for (let job = 0; job < SHARED; job++) append();
    database.exec("commit");
    for (let job = 0; job < SHARED; job++) signOnce();
    return SHARED;
  },
  commit: () => (append(), 1),
  /** Two rows, two MACs and the hash of a token. */
  session: () => {
    for (const id of [1, 2]) {
      selectRow.get(id);
      rowMac();
    }
    createHmac("sha256", MAC_KEY).update(MAC_KEY).digest();
    return 1;
  },
  list100: () => (listKeys(100), 1),
  list1000: () => (listKeys(1000), 1),
  generate: () => {
    hkdfSync("sha512", MAC_KEY, MAC_KEY, MAC_KEY, 48);
    keccak256(getPublicKey(PRIVATE_KEY, false).subarray(1));
    append();
    return 1;
  },
} as const satisfies Record<string, () => number>;

export type BareWork = keyof typeof WORK;

function measure({ work, milliseconds }: BareRequest): BareAnswer {
  const start = performance.now();
  const used = process.cpuUsage();
  let done = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    done += WORK[work]();
    elapsed = performance.now() - start;
  }
  const { user, system } = process.cpuUsage(used);
  return { perSecond: done / (elapsed / 1000), processor: (user + system) / done };
}

await answerRequests(measure);
