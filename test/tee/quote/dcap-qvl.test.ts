import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import qvl from "@phala/dcap-qvl";
import { DAY } from "../../../src/lib/time.ts";
import { parseRoot } from "../../../src/tee/quote/certificate.ts";
import { parseCollateral } from "../../../src/tee/quote/collateral.ts";
import { STRICT_POLICY } from "../../../src/tee/quote/evidence.ts";
import { verifyQuote } from "../../../src/tee/quote/verify.ts";
import type { QuoteEvidence } from "../../../src/tee/quote/evidence.ts";
import { QUOTE_NOW } from "../../support/quote-certificates.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import type { QuoteKnobs } from "../../support/quote-pki.ts";
import { ANY_WORKLOAD } from "./fixture.ts";

// Compares with an independent verifier on the same evidence. It does not verify the signature and date of revocation
// lists, nor TDX modules, so those cases are left out.

const VECTORS = new URL("../../../../shared/vectors/tdx/", import.meta.url);

interface Given {
  readonly quote: Uint8Array;
  readonly collateral: string;
  readonly now: number;
  /** PEM; undefined = Intel's. */
  readonly root: string | undefined;
}

/** Returns the status that the other verifier finds, or undefined if it refuses. */
function theirs({ quote, collateral, now, root }: Given): string | undefined {
  try {
    const document = JSON.parse(collateral) as Parameters<typeof qvl.verify>[1];
    const seconds = Math.floor(now / 1000);
    if (root === undefined) return qvl.verify(Buffer.from(quote), document, seconds).status;
    const der = Buffer.from(root.replaceAll(/-----[A-Z ]+-----|\s/g, ""), "base64");
    return qvl.QuoteVerifier.newWithRootCa(der).verify(Buffer.from(quote), document, seconds).status;
  } catch {
    return undefined;
  }
}

function ours({ quote, collateral, now, root }: Given): string | undefined {
  const evidence: QuoteEvidence = {
    quote,
    collateral: parseCollateral(collateral),
    now,
    policy: {
      ...STRICT_POLICY,
      statuses: [
        "UpToDate",
        "SWHardeningNeeded",
        "ConfigurationNeeded",
        "ConfigurationAndSWHardeningNeeded",
        "OutOfDate",
        "OutOfDateConfigurationNeeded",
      ],
    },
    expectations: ANY_WORKLOAD,
    ...(root === undefined ? {} : { root: parseRoot(root) }),
  };
  const { passed, tcb } = verifyQuote(evidence);
  return passed ? tcb!.status : undefined;
}

const SYNTHETIC: Readonly<Record<string, readonly [knobs: QuoteKnobs, status: string | undefined]>> = {
  "sound, of version 4": [{}, "UpToDate"],
  "sound, of version 5 and TDX 1.5": [{ version: 5, bodyType: 3 }, "UpToDate"],
  "with an older platform": [
    { pck: { components: [2, 2, 2, 2, 4, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0] } },
    "OutOfDate",
  ],
  "with a platform to be configured": [{
    tcbInfo: (info) => void (info.tcbLevels[0]!.tcbStatus = "ConfigurationNeeded"),
  }, "ConfigurationNeeded"],
  "with a revoked platform": [
    { tcbInfo: (info) => void (info.tcbLevels[0]!.tcbStatus = "Revoked") },
    undefined,
  ],
  "under debug": [{ report: { tdAttributes: "0100001000000000" } }, undefined],
  "without SEPT_VE_DISABLE": [{ report: { tdAttributes: "0000000000000000" } }, undefined],
  "with a revoked PCK certificate": [{ pckCrl: { serials: ["0300bb01"] } }, undefined],
  "with another platform's TCB info": [{ tcbInfo: (info) => void (info.fmspc = "000000000000") }, undefined],
  "with another quoting enclave": [{ qeReport: { mrSigner: "dd".repeat(32) } }, undefined],
  "with a report by a stranger": [{ signers: { qeReport: "stranger" } }, undefined],
  "with a signature by a stranger": [{ signers: { quote: "stranger" } }, undefined],
  "with TCB info by a stranger": [{ signers: { tcbInfo: "stranger" } }, undefined],
  "with QE identity by a stranger": [{ signers: { qeIdentity: "stranger" } }, undefined],
  "with stale TCB info": [{ tcbInfo: (info) => void (info.nextUpdate = "2026-06-14T00:00:00Z") }, undefined],
  "with an expired PCK certificate": [{ pckCertificate: { notAfter: QUOTE_NOW - DAY } }, undefined],
};

describe("verifyQuote() and @phala/dcap-qvl", () => {
  for (const [title, [knobs, status]] of Object.entries(SYNTHETIC)) {
    test(`agree on a quote ${title}`, () => {
      const kit = makeQuoteKit(knobs);
      assert.deepEqual([ours(kit), theirs(kit)], [status, status]);
    });
  }

  test("agree on a quote under another root", () => {
    const kit = {
      ...makeQuoteKit(),
      root: makeQuoteKit({ root: { subjectKey: "stranger", signer: "stranger" } }).root,
    };
    assert.deepEqual([ours(kit), theirs(kit)], [undefined, undefined]);
    assert.deepEqual([ours({ ...kit, root: undefined }), theirs({ ...kit, root: undefined })], [
      undefined,
      undefined,
    ]);
  });

  const skip = existsSync(VECTORS) ? false : "The shared vectors are not here";
  const real = [
    ["phala-v4.quote.bin", "phala-v4.collateral.2025-06-20.json", "2025-06-20"],
    ["google-v5-td15.quote.bin", "fmspc-90c06f000000.collateral.2026-02-20.json", "2026-02-20"],
    ["dstack-v4.quote.bin", "fmspc-90c06f000000.collateral.2026-02-20.json", "2026-02-20"],
  ] as const;
  for (const [quote, collateral, at] of real) {
    test(`agree on ${quote}, whole and with single bytes changed`, { skip, timeout: 60_000 }, () => {
      const given = {
        quote: new Uint8Array(readFileSync(new URL(quote, VECTORS))),
        collateral: readFileSync(new URL(collateral, VECTORS), "utf8"),
        now: Date.parse(at),
        root: undefined,
      };
      assert.deepEqual([ours(given), theirs(given)], ["UpToDate", "UpToDate"]);
      for (let at = 0; at < 632; at += 79) {
        const changed = { ...given, quote: given.quote.with(at, given.quote[at]! ^ 1) };
        assert.deepEqual([ours(changed), theirs(changed)], [undefined, undefined], String(at));
      }
    });
  }
});
