/**
 * Hashing the Mail example of EIP-712: ours (parse and hash) beside viem and ethers, in one run on one thread.
 * Run it with either runtime: `bun bench/typed-data.ts`, `deno run -A bench/typed-data.ts`.
 */
import { TypedDataEncoder } from "ethers";
import { hashTypedData as viemHash } from "viem";
import { hashTypedData, parseTypedData } from "../src/ethereum/typed-data/typed-data.ts";
import { toHex } from "../src/lib/bytes.ts";
import { MAIL } from "../test/ethereum/mail.ts";

const ROUNDS = 15;
const HASHES_PER_ROUND = 500;

const { EIP712Domain: _, ...ETHERS_TYPES } = MAIL.types;

const CONTENDERS: Readonly<Record<string, () => string>> = {
  holdfast: () => toHex(hashTypedData(parseTypedData(MAIL)).digest),
  viem: () => viemHash(MAIL as never),
  ethers: () => TypedDataEncoder.hash(MAIL.domain, ETHERS_TYPES as never, MAIL.message),
};

function microseconds(hash: () => string): number {
  const start = performance.now();
  for (let count = 0; count < HASHES_PER_ROUND; count++) hash();
  return (performance.now() - start) * 1000 / HASHES_PER_ROUND;
}

/** The median time of each contender; rounds take turns, so that a noisy moment hits all of them. */
function medians(): Readonly<Record<string, number>> {
  const names = Object.keys(CONTENDERS);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -3; round < ROUNDS; round++) {
    for (const name of names) {
      const time = microseconds(CONTENDERS[name]!);
      if (round >= 0) times.get(name)!.push(time);
    }
  }
  return Object.fromEntries(
    names.map((name) => [name, times.get(name)!.sort((a, b) => a - b)[ROUNDS >> 1]!]),
  );
}

const digests = new Set(Object.values(CONTENDERS).map((hash) => hash()));
if (digests.size !== 1) throw new Error("Cannot compare: the digests differ");
const result = medians();
for (const [name, time] of Object.entries(result)) {
  const ratio = (time / result.holdfast!).toFixed(2);
  console.log(
    `${name.padEnd(9)} ${time.toFixed(1).padStart(7)} us per digest   ${ratio.padStart(5)} x holdfast`,
  );
}
