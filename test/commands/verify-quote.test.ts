import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readQuoteInput } from "../../src/commands/verify-quote.ts";
import { StartRefusal } from "../../src/commands/process/refusal.ts";
import { toHex, utf8 } from "../../src/lib/bytes.ts";
import { policyHash } from "../../src/policy/canonical.ts";
import { readKeyPolicy } from "../../src/policy/read-policy.ts";
import { keyQuoteReportData } from "../../src/tee/report-data.ts";
import { openSimulatedTee } from "../../src/tee/simulated/simulated.ts";
import { startPccs } from "../support/pccs.ts";
import { makeQuoteKit } from "../support/quote-pki.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { programs, runCommand, runConfigured, skipReason, takesAll, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 60_000 };
const NONCE = "AAECAwQFBgcICQoLDA0ODw";
const ADDRESS = "0xAbCd000000000000000000000000000000000001";
const KMS = "kms:3059a1";
const CLAIMS = JSON.stringify({
  nonce: NONCE,
  address: ADDRESS,
  keyProvider: { name: "kms", id: "3059a1", verified: null },
});
const KIT = makeQuoteKit({ reportData: keyQuoteReportData(utf8(CLAIMS)) });
const ANSWER = JSON.stringify({
  quote: KIT.quote.toBase64(),
  claims: CLAIMS,
  address: ADDRESS,
  inTee: true,
  provider: "tdx",
});
const AT = ["--at", "2026-06-15T00:00:00Z"];
const FULL = [
  "--nonce",
  NONCE,
  "--address",
  ADDRESS,
  "--mrtd",
  "d0".repeat(48),
  "--rtmr0",
  `0x${"e0".repeat(48)}`,
  "--rtmr1",
  "E1".repeat(48),
  "--rtmr2",
  "e2".repeat(48),
  "--rtmr3",
  "e3".repeat(48),
  "--mrconfigid",
  "any",
  "--key-provider",
  KMS,
];
/** The registers in a file: an allow-list with the members for a dstack app. */
const REGISTERS = {
  mrTd: "d0".repeat(48),
  rtmr0: "e0".repeat(48),
  rtmr1: "E1".repeat(48),
  rtmr2: "e2".repeat(48),
  rtmr3: "e3".repeat(48),
};
const OTHER_REGISTERS = { ...REGISTERS, rtmr2: "e4".repeat(48), rtmr3: "e5".repeat(48) };
const MINE = { measurements: [OTHER_REGISTERS, REGISTERS], keyProvider: KMS };
const ASKED = ["--nonce", NONCE, "--address", ADDRESS];

/** Creates a folder with all files that the command reads. */
function files(): Disposable & {
  readonly quote: string;
  readonly options: readonly string[];
  readonly put: (name: string, content: string | Uint8Array) => string;
} {
  const folder = temporaryFolder();
  const put = (name: string, content: string | Uint8Array): string => {
    const path = join(folder.path, name);
    writeFileSync(path, content);
    return path;
  };
  const [collateral, root] = [put("collateral.json", KIT.collateral), put("root.pem", KIT.root)];
  return {
    quote: put("quote.json", ANSWER),
    options: ["--collateral", collateral, "--root", root, ...AT],
    put,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe("readQuoteInput()", () => {
  const encodings: Readonly<Record<string, string | Uint8Array>> = {
    "bytes": KIT.quote,
    "hex": KIT.quote.toHex(),
    "hex with 0x and a line's end": `0x${KIT.quote.toHex()}\n`,
    "upper-case hex in lines": KIT.quote.toHex().toUpperCase().replaceAll(/(.{64})/g, "$1\n"),
    "base64": KIT.quote.toBase64(),
    "base64 in lines": KIT.quote.toBase64().replaceAll(/(.{64})/g, "$1\r\n"),
  };
  for (const [name, content] of Object.entries(encodings)) {
    test(`reads a quote as ${name}`, () => {
      const bytes = typeof content === "string" ? utf8(content) : content;
      assert.deepEqual(readQuoteInput(bytes), { quote: KIT.quote });
    });
  }

  test("reads the response of the API and of dstack's guest agent", () => {
    assert.deepEqual(readQuoteInput(utf8(ANSWER)), { quote: KIT.quote, claims: utf8(CLAIMS) });
    const agent = JSON.stringify({ quote: KIT.quote.toHex(), event_log: "[]", report_data: "00" });
    assert.deepEqual(readQuoteInput(utf8(` ${agent}`)), { quote: KIT.quote, eventLog: "[]" });
  });

  test("refuses JSON without a quote", () => {
    for (const text of ["{", "{}", '{"quote":1}', '{"quote":"?"}', '{"quote":""}']) {
      assert.throws(() => readQuoteInput(utf8(text)), StartRefusal, text);
    }
  });

  test("passes anything else on to the verifier", () => {
    for (const text of ["", "no quote!", "é"]) {
      assert.deepEqual(readQuoteInput(utf8(text)), { quote: utf8(text) });
    }
  });
});

for (const [name, program] of Object.entries(programs())) {
  const skip = skipReason(program);
  const run = (...list: readonly string[]): ReturnType<typeof runConfigured> =>
    runConfigured(program, {}, "verify-quote", ...list);

  describe(`verify-quote on ${titleOf(name)}`, { skip }, () => {
    test("exits with 0 when everything is as expected, and prints each check", TIMEOUT, async () => {
      using given = files();
      const { code, stdout, stderr } = await run(given.quote, ...given.options, ...FULL);
      assert.deepEqual([code, stderr], [0, ""], stdout);
      assert.match(stdout, /^passed +pck_crl +SYNTHETIC SGX PCK Certificate is not revoked$/m);
      assert.match(stdout, /^waived +mrconfigid /m);
      assert.match(
        stdout,
        /\nSIMULATED, under SYNTHETIC SGX Root CA: PASSED at 2026-06-15T00:00:00.000Z, waived: mrconfigid\n$/,
      );
    });

    if (!takesAll(name)) return;
    test("accepts up to date, whatever else is allowed", TIMEOUT, async () => {
      using given = files();
      const { code, stdout } = await run(
        given.quote,
        ...given.options,
        ...FULL,
        "--allow-status",
        "OutOfDate",
      );
      assert.equal(code, 0, stdout);
    });

    test("exits with 1 when an expectation is missing, and when a check fails", TIMEOUT, async () => {
      using given = files();
      const without = await run(given.quote, ...given.options, ...FULL.slice(2));
      assert.equal(without.code, 1);
      assert.match(without.stdout, new RegExp(`^not checked +nonce +No expected .* given.*${NONCE}$`, "m"));
      assert.match(
        without.stdout,
        /: NOT PASSED at [^\n]*: what failed or was not checked proves nothing\n$/,
      );
      const wrong = await run(given.quote, ...given.options, ...FULL.with(5, "d1".repeat(48)), "--json");
      assert.equal(wrong.code, 1);
      const found = JSON.parse(wrong.stdout) as {
        passed: boolean;
        checks: { name: string; verdict: string }[];
        quote: { mrTd: string };
      };
      assert.equal(found.passed, false);
      assert.deepEqual(found.checks.filter(({ verdict }) => verdict === "failed").map(({ name }) => name), [
        "mrtd",
      ]);
      assert.equal(found.quote.mrTd, "d0".repeat(48));
    });

    test("reads standard input, and fetches collateral from a caching service", TIMEOUT, async () => {
      using given = files();
      await using pccs = await startPccs(KIT.collateral, { lists: "hex" });
      const line = [
        "verify-quote",
        given.quote,
        "--pccs",
        `${pccs.base}/`,
        ...given.options.slice(2),
        ...FULL,
      ];
      assert.equal((await runConfigured(program, {}, ...line)).code, 0);
      assert.equal(pccs.requests.length, 4);
      const command = [
        "-c",
        'exec "$@" < "$0"',
        given.quote,
        ...program,
        "verify-quote",
        "-",
        ...given.options,
        ...FULL,
      ];
      const piped = spawnSync("sh", command, {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        env: { PATH: "/usr/bin:/bin" },
        encoding: "utf8",
      });
      assert.equal(piped.status, 0, piped.stdout + piped.stderr);
    });

    test(
      "verifies a simulated TEE's quote with what simulated-root wrote, and only with that",
      TIMEOUT,
      async () => {
        using given = files();
        using data = temporaryFolder();
        const key = join(data.path, "simulated-sealing-key");
        const folder = join(data.path, "simulated");
        const missing = await runCommand(program, data.path, "simulated-root", folder);
        assert.deepEqual([missing.code, missing.stdout], [2, ""]);
        writeFileSync(key, new Uint8Array(32).map((_, index) => index), { mode: 0o600 });
        const written = await runCommand(program, data.path, "simulated-root", folder);
        assert.equal(written.code, 0, written.stderr);
        assert.equal(written.stdout, `${join(folder, "root.pem")}\n${join(folder, "collateral.json")}\n`);
        const tee = await openSimulatedTee({ keyFile: key, random: () => assert.fail("The key is there") });
        const { quote } = await tee.quote(keyQuoteReportData(utf8(CLAIMS)));
        const path = given.put("simulated.json", JSON.stringify({ quote: quote.toBase64(), claims: CLAIMS }));
        const options = [...ASKED, "--measurements", "any", "--key-provider", "any", ...AT];
        const collateral = ["--collateral", join(folder, "collateral.json")];
        const root = ["--root", join(folder, "root.pem")];
        const { code, stdout } = await run(path, ...options, ...collateral, ...root);
        assert.equal(code, 0);
        assert.match(
          stdout,
          /\nSIMULATED, under [^\n]*: PASSED [^\n]*, waived: mrtd, [^\n]*key_provider; THE PROGRAM IS NOT PINNED\n$/,
        );
        assert.equal((await run(path, ...options, ...collateral)).code, 1);
        assert.equal((await run(path, ...options, ...collateral, "--root", given.options[3]!)).code, 1);
      },
    );

    test(
      "takes expectations from a file, of the version that is closest and of the workload that is named",
      TIMEOUT,
      async () => {
        using given = files();
        const verify = async (content: unknown, ...more: readonly string[]): ReturnType<typeof run> => {
          const path = given.put("expected.json", JSON.stringify(content));
          return await run(given.quote, ...given.options, ...ASKED, "--expect", path, ...more);
        };
        const whole = await verify({ workloads: { holdfast: MINE } });
        assert.equal(whole.code, 0, whole.stdout + whole.stderr);
        assert.match(whole.stdout, /PASSED at [^\n,]*\n$/);
        for (const name of ["mrconfigid", "mrowner", "mrownerconfig", "key_provider"]) {
          assert.match(whole.stdout, new RegExp(`^passed +${name} +As expected`, "m"));
        }

        const other = await verify({ workloads: { holdfast: { ...MINE, measurements: [OTHER_REGISTERS] } } });
        assert.equal(other.code, 1);
        assert.deepEqual(other.stdout.match(/^failed +\w+/gm), ["failed       rtmr2", "failed       rtmr3"]);
        const otherKms = await verify({ workloads: { holdfast: { ...MINE, keyProvider: "kms:3059a2" } } });
        assert.deepEqual(otherKms.stdout.match(/^failed +\w+/gm), ["failed       key_provider"]);

        const two = { workloads: { theirs: { ...MINE, measurements: [OTHER_REGISTERS] }, mine: MINE } };
        assert.equal((await verify(two, "--workload", "mine")).code, 0);
        assert.equal((await verify(two, "--workload", "theirs")).code, 1);

        const { keyProvider: _, ...list } = MINE;
        assert.equal((await verify({ workloads: { list } })).code, 1);
        assert.equal((await verify({ workloads: { list } }, "--key-provider", KMS)).code, 0);
        const strict = { ...MINE, leastEvaluation: 19 };
        assert.match((await verify({ workloads: { strict } })).stdout, /^failed +tcb_info .*less than 19$/m);

        const refused: readonly (readonly [content: unknown, more: readonly string[], says: RegExp])[] = [
          [two, [], /has 2 workloads: name one by --workload/],
          [two, ["--workload", "nobodys"], /has no workload nobodys/],
          [two, ["--workload", "mine", "--mrtd", "any"], /--mrtd does not go with --expect/],
          [two, ["--workload", "mine", "--allow-sept-ve"], /--allow-sept-ve does not go with --expect/],
          [two, ["--workload", "mine", "--key-provider", "any"], /--key-provider does not go with --expect/],
          [{ workloads: {} }, [], /has 0 workloads/],
          [{ workloads: { mine: { measurements: [] } } }, [], /expected.json: workloads.mine.measurements/],
          [{ workloads: { mine: { ...MINE, mrTd: "any" } } }, [], /expected.json: workloads.mine.mrTd/],
        ];
        for (const [content, more, says] of refused) {
          const { code, stdout, stderr } = await verify(content, ...more);
          assert.deepEqual([code, stdout], [2, ""]);
          assert.match(stderr, says);
        }
      },
    );

    test("exits with 4 when only the age of the collateral fails", TIMEOUT, async () => {
      using given = files();
      const late = [...given.options.slice(0, 4), "--at", "2026-08-01"];
      const { code, stdout } = await run(given.quote, ...late, ...FULL);
      assert.equal(code, 4, stdout);
      assert.match(stdout, /^not checked +tcb_status +Needs /m);
      assert.ok(!/^passed .*UpToDate/m.test(stdout.replace(/^passed +qe_identity.*$/m, "")), stdout);
      assert.match(
        stdout,
        /: NOT PASSED at 2026-08-01T00:00:00.000Z: the collateral is out of date; fetch it again/,
      );
      const wrong = await run(given.quote, ...late, ...FULL.with(5, "d1".repeat(48)));
      assert.equal(wrong.code, 1, wrong.stdout);
    });

    test("warns when the program is not pinned: the system and what runs on it", TIMEOUT, async () => {
      using given = files();
      const waive = async (...names: readonly string[]): Promise<string> => {
        const list = FULL.map((value, index) => names.includes(FULL[index - 1] ?? "") ? "any" : value);
        const { code, stdout } = await run(given.quote, ...given.options, ...list);
        assert.equal(code, 0, stdout);
        return stdout.trimEnd().split("\n").at(-1)!;
      };
      const [system, workload, hardware] = await Promise.all([
        waive("--mrtd"),
        waive("--rtmr3"),
        waive("--rtmr0"),
      ]);
      assert.match(system, /waived: mrtd, mrconfigid; THE PROGRAM IS NOT PINNED$/);
      assert.match(workload, /waived: rtmr3, mrconfigid; THE PROGRAM IS NOT PINNED$/);
      assert.match(hardware, /waived: rtmr0, mrconfigid$/);
    });

    test("prints JSON with its findings, and the failed check", TIMEOUT, async () => {
      using given = files();
      const { code, stdout } = await run(given.quote, ...given.options, ...FULL, "--json");
      assert.equal(code, 0);
      const { root, checks: _, quote: __, tcb: ___, workload, ...found } = JSON.parse(stdout);
      assert.deepEqual(found, {
        passed: true,
        outcome: "passed",
        simulated: true,
        at: "2026-06-15T00:00:00.000Z",
        waived: ["mrconfigid"],
        programPinned: true,
        fmspc: "90c06f000000",
        evaluation: { tcbInfo: 18, qeIdentity: 18 },
        expiresAt: "2026-07-10T00:00:00.000Z",
        keyProvider: KMS,
        policy: null,
        slots: null,
      });
      assert.deepEqual([root.name, root.isIntels, workload], ["SYNTHETIC SGX Root CA", false, null]);
      const refused = await run(given.quote, ...given.options, "--at", "now", "--json");
      assert.equal(refused.code, 2);
      const printed = JSON.parse(refused.stdout);
      assert.deepEqual([printed.passed, printed.outcome, printed.refusals.length], [false, "refused", 1]);
      assert.match(refused.stderr, /--at/);
    });

    test(
      "checks the policy of a key by a file with it, in whatever form it was written",
      TIMEOUT,
      async () => {
        using given = files();
        using folder = temporaryFolder();
        const policy = { version: 1, raw: "allow", locked: true };
        const hash = toHex(policyHash(readKeyPolicy(policy)));
        const change = null;
        const claims = JSON.stringify({
          ...JSON.parse(CLAIMS),
          purpose: "holdfast/key-quote/v2",
          policy: { hash, locked: true, delayHours: 0, change },
        });
        const quote = makeQuoteKit({ reportData: keyQuoteReportData(utf8(claims)) }).quote.toBase64();
        const place = (name: string, value: unknown): string => {
          writeFileSync(`${folder.path}/${name}`, JSON.stringify(value));
          return `${folder.path}/${name}`;
        };
        const answer = place("answer.json", { quote, claims, policy: readKeyPolicy(policy) });
        for (const file of [place("own.json", policy), answer]) {
          const { code, stdout, stderr } = await run(answer, ...given.options, ...FULL, "--policy", file);
          assert.equal(code, 0, stderr);
          assert.match(stdout, /^passed +policy +As expected, and LOCKED/m);
        }
        const other = place("other.json", { ...policy, digest: "allow" });
        const { code, stdout } = await run(answer, ...given.options, ...FULL, "--policy", other);
        assert.equal(code, 1);
        assert.match(stdout, /^failed +policy +The key has another policy/m);
      },
    );

    test("compares the slots of the root seed with the expected set, in any order", TIMEOUT, async () => {
      using given = files();
      const [one, two] = ["1a", "2b"].map((byte) => byte.repeat(32)) as [string, string];
      const slots = [{ source: "dstack", keyId: one }, { source: "file", keyId: two }];
      const answerWith = (name: string, claimed: unknown): string => {
        const claims = JSON.stringify({ ...JSON.parse(CLAIMS), slots: claimed });
        const quote = makeQuoteKit({ reportData: keyQuoteReportData(utf8(claims)) }).quote.toBase64();
        return given.put(name, JSON.stringify({ quote, claims }));
      };
      const answer = answerWith("slots.json", slots);
      const verify = (text: string, path = answer): ReturnType<typeof run> =>
        run(path, ...given.options, ...FULL, "--slots", text);
      const same = await verify(`file:${two}, dstack:${one}`);
      assert.equal(same.code, 0, same.stdout + same.stderr);
      assert.match(same.stdout, /^passed +slots +As expected$/m);
      const others = [
        `dstack:${one}`,
        `dstack:${one},file:${two},file:${two}`,
        `broker:${one},file:${two}`,
        `dstack:${one},file:${"2c".repeat(32)}`,
      ];
      for (const { code, stdout } of await Promise.all(others.map((text) => verify(text)))) {
        assert.equal(code, 1);
        assert.match(
          stdout,
          new RegExp(
            `^failed +slots +The seed has other slots than expected: dstack:${one}, file:${two}$`,
            "m",
          ),
        );
      }
      const earlier = await verify(`dstack:${one}`, answerWith("earlier.json", undefined));
      assert.equal(earlier.code, 1);
      assert.match(earlier.stdout, /^failed +slots +The claims are of a version without slots$/m);
      const odd = await verify(`dstack:${one}`, answerWith("odd.json", [{ source: 7 }]));
      assert.equal(odd.code, 1);
      assert.match(odd.stdout, /^failed +slots +The claims cannot be read: /m);
      const expect = given.put(
        "expected.json",
        JSON.stringify({ workloads: { holdfast: { ...MINE, slots: slots.slice(1) } } }),
      );
      const byFile = await run(answer, ...given.options, ...ASKED, "--expect", expect);
      assert.equal(byFile.code, 1);
      assert.match(byFile.stdout, /^failed +slots /m);
      for (const text of [one, `dstack:${one},`, `dstack:${one.slice(2)}`]) {
        const { code, stderr } = await verify(text);
        assert.equal(code, 2, text);
        assert.match(stderr, /--slots must be SOURCE:KEYID/);
      }
      const twice = await run(
        answer,
        ...given.options,
        ...ASKED,
        "--expect",
        expect,
        "--slots",
        `dstack:${one}`,
      );
      assert.equal(twice.code, 2);
      assert.match(twice.stderr, /--slots does not go with --expect/);
    });

    test("prints verdicts, statuses, exit codes and an example with --help", TIMEOUT, async () => {
      const { code, stdout } = await run("--help");
      assert.equal(code, 0);
      for (
        const text of ["not checked", "waived", "SWHardeningNeeded", "Exit codes:", "--expect expected.json"]
      ) {
        assert.ok(stdout.includes(text), text);
      }
      for (const exit of [0, 1, 2, 4]) assert.match(stdout, new RegExp(`^  ${exit}   `, "m"));
    });

    test("exits with 2 and verifies nothing for an invalid call", TIMEOUT, async () => {
      using given = files();
      const [, collateral, , root] = given.options as [string, string, string, string];
      const calls: readonly (readonly [list: readonly string[], message: RegExp])[] = [
        [[], /FILE is missing/],
        [[given.quote, ...AT], /give either --collateral or --pccs/],
        [[given.quote, "--collateral", collateral, "--pccs", "http://127.0.0.1:1"], /give either/],
        [[given.quote, "--pccs", "file:///etc"], /--pccs must be an address/],
        [[given.quote, ...given.options, "--mrtd", "00"], /--mrtd must be 48 bytes in hex/],
        [[given.quote, ...given.options, "--measurements", "some"], /--measurements can only be any/],
        [[given.quote, ...given.options, "--key-provider", "kms:"], /--key-provider must be NAME:ID/],
        [[given.quote, ...given.options, "--service-td", "any"], /--service-td must be 48 bytes in hex/],
        [[given.quote, ...given.options, "--workload", "holdfast"], /--workload is one of the file/],
        [[given.quote, ...given.options, "--allow-status", "Revoked"], /--allow-status must be of UpToDate/],
        [
          [given.quote, ...given.options, "--report-data", "any", "--nonce", "a"],
          /--report-data is for quotes without claims/,
        ],
        [
          [given.quote, ...given.options, "--policy", given.quote],
          /The policy in .* cannot be read at \/quote: /,
        ],
        [
          [given.quote, ...given.options, "--policy", root],
          /The policy in .* cannot be read: Cannot read JSON: /,
        ],
        [[given.quote, ...given.options.slice(0, 4), "--at", "yesterday"], /--at must be a time/],
        [
          [given.quote, ...given.options.slice(0, 4), "--at", "2026-02-30T00:00:00Z"],
          /--at must be a time/,
        ],
        [
          [given.quote, "--collateral", given.quote, ...AT],
          /Cannot read collateral: root_ca_crl is not a text/,
        ],
        [
          [given.quote, "--collateral", collateral, "--root", collateral],
          /The root cannot be read: There is no certificate/,
        ],
        [
          [`${given.quote}.not`, "--collateral", collateral, "--root", root],
          /cannot be used: /,
        ],
      ];
      const ended = await Promise.all(calls.map(([list]) => run(...list)));
      ended.forEach(({ code, stdout, stderr }, index) => {
        assert.deepEqual([code, stdout], [2, ""], stderr);
        assert.match(stderr, calls[index]![1]);
      });
    });
  });
}

test("package.json exports the verifier, and each of its exports exists", async () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly exports: Readonly<Record<string, string>>;
  };
  const modules = await Promise.all(
    Object.values(manifest.exports).map(async (path) =>
      Object.keys(await import(new URL(path.replace("./", "../../"), import.meta.url).href) as object)
    ),
  );
  const names = modules.flat();
  for (
    const name of [
      "verifyQuote",
      "STRICT_POLICY",
      "parseCollateral",
      "parseRoot",
      "fetchCollateral",
      "platformOf",
    ]
  ) {
    assert.ok(names.includes(name), name);
  }
});
