import assert from "node:assert/strict";
import { createHash, createPublicKey, verify, X509Certificate } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { concat, toBase64url } from "../../../src/lib/bytes.ts";
import { KeyFileError } from "../../../src/tee/tdx/key-file.ts";
import { openSimulatedTee } from "../../../src/tee/simulated/simulated.ts";
import { inFolder } from "../../support/folder.ts";

const REPORT_DATA = Uint8Array.from({ length: 64 }, (_, index) => index + 100);
const VECTORS = new URL("../../../../shared/vectors/tdx/", import.meta.url);

function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Imports a P-256 public key of 64 bytes. */
function publicKeyOf(bytes: Uint8Array): ReturnType<typeof createPublicKey> {
  const [x, y] = [toBase64url(bytes.subarray(0, 32)), toBase64url(bytes.subarray(32))];
  return createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
}

function isSigned(data: Uint8Array, key: ReturnType<typeof createPublicKey>, signature: Uint8Array): boolean {
  return verify("sha256", data, { key, dsaEncoding: "ieee-p1363" }, signature);
}

/** Splits a real or simulated version 4 quote by offsets (Intel's appendix A.3). */
function takeApart(quote: Uint8Array) {
  const view = new DataView(quote.buffer, quote.byteOffset, quote.length);
  const authenticationLength = view.getUint32(632, true);
  const certification = 636 + 128;
  const qeReport = certification + 6;
  const qeAuthenticationLength = view.getUint16(qeReport + 448, true);
  const chain = qeReport + 450 + qeAuthenticationLength;
  const chainLength = view.getUint32(chain + 2, true);
  return {
    version: view.getUint16(0, true),
    keyType: view.getUint16(2, true),
    teeType: view.getUint32(4, true),
    vendor: quote.slice(12, 28).toHex(),
    signed: quote.slice(0, 632),
    mrSignerSeam: quote.slice(112, 160),
    tdAttributes: quote.slice(168, 176),
    reportData: quote.slice(568, 632),
    authenticationLength,
    signature: quote.slice(636, 700),
    attestationKey: quote.slice(700, 764),
    certificationType: view.getUint16(certification, true),
    certificationLength: view.getUint32(certification + 2, true),
    qeReport: quote.slice(qeReport, qeReport + 384),
    qeSignature: quote.slice(qeReport + 384, qeReport + 448),
    qeAuthentication: quote.slice(qeReport + 450, chain),
    chainType: view.getUint16(chain, true),
    pem: new TextDecoder().decode(quote.slice(chain + 6, chain + 6 + chainLength)),
    end: chain + 6 + chainLength,
  };
}

function certificatesOf(pem: string): X509Certificate[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g)!.map((text) =>
    new X509Certificate(text)
  );
}

/** Checks a quote's form and signatures under any signer. */
function checkQuote(quote: Uint8Array): ReturnType<typeof takeApart> {
  const parts = takeApart(quote);
  assert.deepEqual([parts.version, parts.keyType, parts.teeType], [4, 2, 0x81]);
  assert.equal(parts.vendor, "939a7233f79c4ca9940a0db3957f0607");
  assert.deepEqual([parts.certificationType, parts.chainType], [6, 5]);
  assert.equal(parts.end, 636 + parts.authenticationLength);
  assert.equal(parts.end, 636 + 128 + 6 + parts.certificationLength);
  assert.ok(parts.mrSignerSeam.every((byte) => byte === 0));
  assert.equal(parts.tdAttributes[0]! & 1, 0, "DEBUG is set");
  assert.ok(isSigned(parts.signed, publicKeyOf(parts.attestationKey), parts.signature));
  const binding = createHash("sha256").update(parts.attestationKey).update(parts.qeAuthentication).digest(
    "hex",
  );
  assert.equal(parts.qeReport.slice(320, 352).toHex(), binding);
  const [leaf, platform, root, ...more] = certificatesOf(parts.pem);
  assert.deepEqual(more, []);
  assert.ok(isSigned(parts.qeReport, leaf!.publicKey, parts.qeSignature));
  assert.ok(leaf!.verify(platform!.publicKey));
  assert.ok(platform!.verify(root!.publicKey));
  assert.ok(root!.verify(root!.publicKey));
  assert.equal(leaf!.issuer, platform!.subject);
  assert.equal(platform!.issuer, root!.subject);
  assert.equal(root!.issuer, root!.subject);
  assert.deepEqual([leaf!.ca, platform!.ca, root!.ca], [false, true, true]);
  return parts;
}

describe("openSimulatedTee()", () => {
  test("reports that it is not in a TEE", async () => {
    const tee = await openSimulatedTee({ keyFile: undefined, random });
    assert.deepEqual([tee.provider, tee.inTee], ["simulated", false]);
  });

  test("returns the key of the file, the same after a restart", async () => {
    await inFolder(async (folder) => {
      const keyFile = join(folder, "key");
      const first = await (await openSimulatedTee({ keyFile, random })).sealingKey();
      const second = await (await openSimulatedTee({ keyFile, random })).sealingKey();
      assert.equal(first.length, 32);
      assert.deepEqual(second, first);
      assert.equal(readFileSync(keyFile, "hex"), first.toHex());
    });
  });

  test("returns a copy each time, which its caller may wipe", async () => {
    const tee = await openSimulatedTee({ keyFile: undefined, random });
    const key = await tee.sealingKey();
    const before = key.slice();
    key.fill(0);
    assert.deepEqual(await tee.sealingKey(), before);
  });

  test("has another key each time without a file", async () => {
    const keys = await Promise.all(
      [1, 2].map(async () => await (await openSimulatedTee({ keyFile: undefined, random })).sealingKey()),
    );
    assert.notDeepEqual(keys[0], keys[1]);
  });

  test("refuses a key file that is not safe, and does not change it", async () => {
    await inFolder(async (folder) => {
      const keyFile = join(folder, "key");
      writeFileSync(keyFile, new Uint8Array(32).fill(1));
      chmodSync(keyFile, 0o644);
      await assert.rejects(openSimulatedTee({ keyFile, random }), KeyFileError);
      assert.deepEqual(new Uint8Array(readFileSync(keyFile)), new Uint8Array(32).fill(1));
    });
  });
});

describe("quote() of the simulated TEE", () => {
  test("returns a version 4 quote over the report data whose signatures and chain verify", async () => {
    const tee = await openSimulatedTee({ keyFile: undefined, random });
    const { quote } = await tee.quote(REPORT_DATA);
    const { reportData, end } = checkQuote(quote);
    assert.deepEqual(reportData, REPORT_DATA);
    assert.equal(end, quote.length);
  });

  test("contains SIMULATED in each certificate and in the quote's first bytes", async () => {
    const { quote } = await (await openSimulatedTee({ keyFile: undefined, random })).quote(REPORT_DATA);
    for (const { subject, issuer } of certificatesOf(takeApart(quote).pem)) {
      assert.match(subject, /CN=SIMULATED .*\nO=SIMULATED - NOT INTEL/);
      assert.match(issuer, /CN=SIMULATED /);
    }
    assert.equal(new TextDecoder().decode(quote.slice(28, 44)), "SIMULATED NO TEE");
  });

  test("is signed: no bit of header and body may change", async () => {
    const { quote } = await (await openSimulatedTee({ keyFile: undefined, random })).quote(REPORT_DATA);
    const { signed, attestationKey, signature } = takeApart(quote);
    for (const offset of [0, 47, 48, 184, 568, 631]) {
      assert.ok(!isSigned(signed.with(offset, signed[offset]! ^ 1), publicKeyOf(attestationKey), signature));
    }
  });

  test("has the same root key after a restart with the same file, and another for another file", async () => {
    await inFolder(async (folder) => {
      const rootKeys: string[] = [];
      for (const name of ["a", "a", "b"]) {
        const { quote } = await (await openSimulatedTee({ keyFile: join(folder, name), random })).quote(
          REPORT_DATA,
        );
        const root = certificatesOf(takeApart(quote).pem).at(-1)!;
        rootKeys.push(root.publicKey.export({ type: "spki", format: "der" }).toString("hex"));
      }
      assert.equal(rootKeys[0], rootKeys[1]);
      assert.notEqual(rootKeys[0], rootKeys[2]);
    });
  });

  test("contains no byte run of the sealing key", async () => {
    const tee = await openSimulatedTee({ keyFile: undefined, random });
    const key = (await tee.sealingKey()).toHex();
    const { quote } = await tee.quote(REPORT_DATA);
    for (let offset = 0; offset < 48; offset += 2) {
      assert.ok(!quote.toHex().includes(key.slice(offset, offset + 16)));
    }
  });

  for (const length of [0, 32, 63, 65]) {
    test(`refuses ${length} bytes of report data`, async () => {
      const tee = await openSimulatedTee({ keyFile: undefined, random });
      await assert.rejects(tee.quote(concat(REPORT_DATA, REPORT_DATA).slice(0, length)), TypeError);
    });
  }
});

for (const name of ["phala-v4.quote.bin", "dstack-v4.quote.bin"]) {
  const file = new URL(name, VECTORS);
  const skip = existsSync(file) ? false : "The shared vectors are not here";
  test(`a quote of real hardware passes the checks that simulated ones pass: ${name}`, { skip }, () => {
    checkQuote(new Uint8Array(readFileSync(file)));
  });
}
