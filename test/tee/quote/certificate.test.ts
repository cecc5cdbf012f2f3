import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { describe, test } from "node:test";
import { parseCertificate, parseChain, parseRoot } from "../../../src/tee/quote/certificate.ts";
import { CheckFault } from "../../../src/tee/quote/fault.ts";
import { intelRoot } from "../../../src/tee/quote/intel-root.ts";
import { makeSimulatedPki } from "../../../src/tee/simulated/simulated-pki.ts";
import { encodeExtension } from "../../support/quote-certificates.ts";
import type { CertificateKnobs } from "../../support/quote-certificates.ts";
import { makeQuotePlatform } from "../../support/quote-pki.ts";

function rootPem(knobs: Partial<CertificateKnobs> = {}): string {
  return makeQuotePlatform({ root: knobs }).root;
}

function decode(pem: string): Uint8Array {
  return Uint8Array.fromBase64(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ""));
}

const ROOT = rootPem();
const HEX = decode(ROOT).toHex();

function fault(message: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof CheckFault, String(error));
    assert.match(error.message, message);
    return true;
  };
}

/**
 * Returns the root's certificate with the first or last occurrence of a hex text replaced by one of the same length.
 */
function changed(from: string, to: string, which: "first" | "last" = "first"): Uint8Array {
  const at = which === "first" ? HEX.indexOf(from) : HEX.lastIndexOf(from);
  assert.ok(at > 0 && from.length === to.length, from);
  return Uint8Array.fromHex(HEX.slice(0, at) + to + HEX.slice(at + from.length));
}

describe("parseCertificate()", () => {
  test("reads what another reader reads", () => {
    for (const pem of [ROOT, makeSimulatedPki(new Uint8Array(32)).rootCertificate]) {
      const [ours, theirs] = [parseCertificate(decode(pem)), new X509Certificate(pem)];
      // Compared as a number, because one runtime drops the leading zero.
      assert.equal(BigInt(`0x${ours.serial}`), BigInt(`0x${theirs.serialNumber}`));
      assert.ok(theirs.subject.startsWith(`CN=${ours.commonName}`), theirs.subject);
      assert.equal(ours.notBefore, Date.parse(theirs.validFrom));
      assert.equal(ours.notAfter, Date.parse(theirs.validTo));
      assert.equal(ours.isAuthority, theirs.ca);
      assert.equal(
        ours.spki.toHex(),
        theirs.publicKey.export({ type: "spki", format: "der" }).toString("hex"),
      );
    }
  });

  const refused: Readonly<Record<string, readonly [bytes: () => Uint8Array, message: RegExp]>> = {
    "of version 2": [() => changed("a003020102", "a003020101"), /not version 3/],
    "whose signature is of another algorithm": [
      () => changed("2a8648ce3d040302", "2a8648ce3d040303", "last"),
      /not ECDSA with SHA-256/,
    ],
    "that says to be signed with another algorithm": [
      () => changed("2a8648ce3d040302", "2a8648ce3d040303"),
      /not ECDSA with SHA-256/,
    ],
    "whose subject has no common name": [
      () => changed("550403", "550407", "last"),
      /not exactly one common name/,
    ],
    "whose common name would write lines of its own": [
      () => decode(rootPem({ commonName: "A\n\u001b[2KPASSED SGX Root CA" })),
      /common name is not plain text/,
    ],
    "without basic constraints": [
      () => changed("0603551d130101ff", "0603551d130101aa"),
      /boolean is neither/,
    ],
    "with an extension twice": [
      () => decode(rootPem({ extensions: [encodeExtension("551d13", "critical", Uint8Array.of(0x30, 0))] })),
      /extension is there twice/,
    ],
    "that is too long": [
      () => decode(rootPem({ extensions: [encodeExtension("2b0601", "plain", new Uint8Array(8192))] })),
      /too long/,
    ],
    "with something behind it": [() => Uint8Array.fromHex(`${HEX}00`), /is malformed/],
  };
  for (const [name, [bytes, message]] of Object.entries(refused)) {
    test(`refuses a certificate ${name}`, () =>
      assert.throws(() => parseCertificate(bytes()), fault(message)));
  }

  test("refuses a certificate without its constraints and key usage", () => {
    // Unknown extensions that are not critical, in place of basic constraints and of key usage.
    const plain = (id: string): string => id.replace("0101ff", "010100");
    assert.throws(
      () => parseCertificate(changed("0603551d130101ff", plain("0603551d630101ff"))),
      fault(/no basic|not/),
    );
    assert.throws(
      () => parseCertificate(changed("0603551d0f0101ff", plain("0603551d6f0101ff"))),
      fault(/no key usage/),
    );
  });
});

describe("parseChain()", () => {
  test("accepts text around the certificates, and a NUL after them", () => {
    assert.equal(parseChain(`Bag\n${ROOT}\r\nmore\n${ROOT.replaceAll("\n", "\r\n")}\0`).length, 2);
  });

  const refused: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
    "nothing": ["", /no certificate/],
    "half a certificate": [ROOT.slice(0, -10), /no certificate/],
    "five certificates": [ROOT.repeat(5), /too many/],
    "a text that is too long": [" ".repeat(33_000), /too long/],
    "no base64": [ROOT.replace(/\n../, "\n=="), /not base64/],
  };
  for (const [name, [text, message]] of Object.entries(refused)) {
    test(`refuses ${name}`, () => assert.throws(() => parseChain(text), fault(message)));
  }
});

describe("parseRoot()", () => {
  test("accepts one authority's certificate and nothing else", () => {
    assert.equal(parseRoot(ROOT).commonName, "SYNTHETIC SGX Root CA");
    assert.throws(() => parseRoot(ROOT + ROOT), fault(/more than one/));
    const none = rootPem({ isAuthority: false, pathLength: undefined });
    assert.throws(() => parseRoot(none), fault(/not an authority's/));
  });

  test("has Intel's, whose fingerprint is known", () => {
    const { commonName, notAfter, spki } = intelRoot();
    assert.equal(commonName, "Intel SGX Root CA");
    assert.equal(notAfter, Date.UTC(2049, 11, 31, 23, 59, 59));
    // The key that Intel publishes in all its certificates and libraries.
    assert.match(spki.toHex(), /0ba9c4c0c0c86193a3fe23d6b02cda10a8bbd4e88e48b4458561a36e705525f5/);
  });
});
