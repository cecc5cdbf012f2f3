/**
 * Compares hashing of the Mail example of EIP-712 (parse and hash) with viem and ethers, in one run on one thread. Run
 * it with either runtime: `bun bench/typed-data.ts`, `deno run -A bench/typed-data.ts`.
 */
import { TypedDataEncoder } from "ethers";
import { hashTypedData as viemHash } from "viem";
import { hashTypedData, parseTypedData } from "../src/ethereum/typed-data/typed-data.ts";
import { toHex } from "../src/lib/bytes.ts";
import { MAIL } from "../test/ethereum/mail.ts";
import { compare } from "./contenders.ts";

const HASHES_PER_ROUND = 500;

const { EIP712Domain: _, ...ETHERS_TYPES } = MAIL.types;

const CONTENDERS: Readonly<Record<string, () => string>> = {
  holdfast: () => toHex(hashTypedData(parseTypedData(MAIL)).digest),
  viem: () => viemHash(MAIL as never),
  ethers: () => TypedDataEncoder.hash(MAIL.domain, ETHERS_TYPES as never, MAIL.message),
};

const digests = new Set(Object.values(CONTENDERS).map((hash) => hash()));
if (digests.size !== 1) throw new Error("Cannot compare: the digests differ");
await compare("per digest", CONTENDERS, HASHES_PER_ROUND);
