import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseRoot } from "../../../src/tee/quote/certificate.ts";
import { CollateralError, parseCollateral } from "../../../src/tee/quote/collateral.ts";
import { fetchCollateral, platformOf } from "../../../src/tee/quote/pccs.ts";
import { STRICT_POLICY } from "../../../src/tee/quote/evidence.ts";
import { verifyQuote } from "../../../src/tee/quote/verify.ts";
import { startPccs } from "../../support/pccs.ts";
import type { PccsBehaviour } from "../../support/pccs.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import { ANY_WORKLOAD } from "./fixture.ts";

const KIT = makeQuoteKit();
const PLATFORM = { fmspc: "90c06f000000", authority: "platform" } as const;

async function fetchFrom(behaviour: PccsBehaviour, milliseconds = 10_000): Promise<unknown> {
  await using pccs = await startPccs(KIT.collateral, behaviour);
  return await fetchCollateral(pccs.base, PLATFORM, { signal: AbortSignal.timeout(milliseconds) });
}

describe("fetchCollateral()", () => {
  for (const lists of ["der", "hex"] as const) {
    test(`returns what was published, byte for byte, with lists as ${lists}`, async () => {
      assert.deepEqual(await fetchFrom({ lists }), parseCollateral(KIT.collateral));
    });
  }

  test("requests collateral for the platform of the quote, which verifies it", async () => {
    await using pccs = await startPccs(KIT.collateral);
    const collateral = await fetchCollateral(pccs.base, platformOf(KIT.quote), {
      signal: AbortSignal.timeout(10_000),
    });
    assert.deepEqual(pccs.requests.toSorted(), [
      "/sgx/certification/v4/pckcrl?ca=platform&encoding=der",
      "/sgx/certification/v4/rootcacrl",
      "/tdx/certification/v4/qe/identity",
      "/tdx/certification/v4/tcb?fmspc=90c06f000000",
    ]);
    const { quote, now } = KIT;
    const root = parseRoot(KIT.root);
    assert.ok(
      verifyQuote({ quote, collateral, now, root, policy: STRICT_POLICY, expectations: ANY_WORKLOAD }).passed,
    );
  });

  const signature = "00".repeat(64);
  const refused: Readonly<Record<string, readonly [behaviour: PccsBehaviour, message: RegExp]>> = {
    "another status": [{ replies: { tcb: { status: 404 } } }, /TCB info was answered with 404/],
    "a redirect": [{ replies: { pckcrl: { status: 302, headers: { location: "/" } } } }, /PCK list/],
    "an answer that is too long": [
      { replies: { rootcacrl: { body: "0".repeat(1_100_000) } } },
      /root list that was received is too long/,
    ],
    "no document": [{ replies: { tcb: { body: "<html>" } } }, /no signed tcbInfo/],
    "another document": [
      { replies: { identity: { body: `{"tcbInfo":{},"signature":"${signature}"}` } } },
      /no signed enclaveIdentity/,
    ],
    "a document without signature": [{ replies: { tcb: { body: '{"tcbInfo":{}}' } } }, /no signed tcbInfo/],
    "a signature that is too short": [
      { replies: { tcb: { body: '{"tcbInfo":{},"signature":"00"}' } } },
      /no signed tcbInfo/,
    ],
    "a chain that cannot be decoded": [
      { replies: { tcb: { headers: { "TCB-Info-Issuer-Chain": "%" } } } },
      /chain of the TCB info is malformed/,
    ],
  };
  for (const [name, [behaviour, message]] of Object.entries(refused)) {
    test(`refuses ${name}`, async () => {
      await assert.rejects(fetchFrom(behaviour), (error) => {
        assert.ok(error instanceof CollateralError, String(error));
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test("fails without a response in time, and without a server", async () => {
    await assert.rejects(fetchFrom({ replies: { identity: "hang" } }, 200), CollateralError);
    const gone = await startPccs(KIT.collateral);
    await gone[Symbol.asyncDispose]();
    await assert.rejects(
      fetchCollateral(gone.base, PLATFORM, { signal: AbortSignal.timeout(10_000) }),
      CollateralError,
    );
  });

  test("leaves a missing chain or an empty list to the verifier", async () => {
    const empty = await fetchFrom({ replies: { tcb: { headers: {} }, pckcrl: { body: "" } } }) as ReturnType<
      typeof parseCollateral
    >;
    assert.deepEqual([empty.tcbInfoIssuerChain, empty.pckCrl.length], ["", 0]);
  });
});

describe("platformOf()", () => {
  test("names the authority that issued the PCK certificate", () => {
    const processor = makeQuoteKit({ platformCa: { commonName: "SYNTHETIC SGX PCK Processor CA" } });
    assert.deepEqual(platformOf(KIT.quote), PLATFORM);
    assert.deepEqual(platformOf(processor.quote), { ...PLATFORM, authority: "processor" });
  });

  test("refuses a quote without a platform, and an invalid one", () => {
    assert.throws(() => platformOf(makeQuoteKit({ hasSgxExtension: false }).quote), CollateralError);
    assert.throws(() => platformOf(KIT.quote.slice(0, 700)), CollateralError);
    assert.throws(() => platformOf(new Uint8Array()), CollateralError);
  });
});

describe("parseCollateral()", () => {
  test("refuses a missing member, one of another type, and anything but an object", () => {
    const document = JSON.parse(KIT.collateral) as Record<string, unknown>;
    for (const name of Object.keys(document).filter((one) => one !== "pck_crl_issuer_chain")) {
      for (const value of [undefined, 1, null]) {
        assert.throws(
          () => parseCollateral(JSON.stringify({ ...document, [name]: value })),
          CollateralError,
          name,
        );
      }
    }
    for (const name of ["root_ca_crl", "pck_crl", "tcb_info_signature", "qe_identity_signature"]) {
      assert.throws(
        () => parseCollateral(JSON.stringify({ ...document, [name]: "0g" })),
        CollateralError,
        name,
      );
    }
    for (const text of ["", "[]", "null", "{", "1"]) {
      assert.throws(() => parseCollateral(text), CollateralError, text);
    }
    assert.throws(() => parseCollateral(" ".repeat(4 * 1024 * 1024 + 1)), CollateralError);
  });
});
