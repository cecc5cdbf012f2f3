import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { describeWorkload } from "../../src/commands/expected-workload.ts";
import { readConfig } from "../../src/config/config.ts";
import { utf8 } from "../../src/lib/bytes.ts";
import { toIso } from "../../src/lib/time.ts";
import { connectUnix } from "../../src/runtime/unix-socket.ts";
import { openDstackTee } from "../../src/tee/dstack/dstack.ts";
import { keyQuoteReportData } from "../../src/tee/report-data.ts";
import { watchFolder } from "../support/configfs.ts";
import { kmsIdOf, startGuestAgent } from "../support/guest-agent.ts";
import type { AgentBehaviour } from "../support/guest-agent.ts";
import { makeQuotePlatform, QUOTE_NOW } from "../support/quote-pki.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { makeKey, random } from "./fixture.ts";
import { programs, runConfigured, skipReason, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 60_000 };
const CLAIMS = JSON.stringify({ nonce: "n", address: "0x01" });
/** One application with the same measurements on two KMS, and another application on the first KMS. */
const [KMS, OTHER_KMS] = ["22".repeat(32), "23".repeat(32)];
const GUESTS: readonly Partial<AgentBehaviour>[] = [
  { root: KMS },
  { root: OTHER_KMS },
  { root: KMS, appId: "12".repeat(20) },
];

/** Returns the API's answer of a service with this agent. */
async function quoteOver(socketPath: string): Promise<string> {
  const common = { connect: connectUnix, api: "v0" as const, kms: undefined, now: Date.now, log: () => {} };
  const tee = await openDstackTee({ socketPath, ...common });
  const { quote, eventLog } = await tee.quote(keyQuoteReportData(utf8(CLAIMS)));
  return JSON.stringify({ quote: quote.toBase64(), claims: CLAIMS, eventLog });
}

for (const [name, program] of Object.entries(programs())) {
  describe(`doctor --expect on ${titleOf(name)}`, { skip: skipReason(program) }, () => {
    test("prints a file with which verify-quote accepts only this guest", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const put = (file: string, content: string): string => {
        writeFileSync(join(folder.path, file), content);
        return join(folder.path, file);
      };
      const { root, collateral } = makeQuotePlatform();
      const common = ["--root", put("root.pem", root), "--collateral", put("collateral.json", collateral)];
      const options = ["--nonce", "n", "--address", "0x01", "--at", toIso(QUOTE_NOW)];
      const sockets = GUESTS.map((_, index) => join(folder.path, `${index}.sock`));
      const agents = await Promise.all(
        GUESTS.map((guest, index) => startGuestAgent(sockets[index]!, guest)),
      );
      try {
        const quotes = await Promise.all(
          sockets.map(async (socket, index) => put(`${index}.json`, await quoteOver(socket))),
        );
        const environment = { TEE: "dstack", TEE_DSTACK_SOCKET: sockets[0]! };
        const { code, stdout, stderr } = await runConfigured(program, environment, "doctor", "--expect");
        assert.deepEqual([code, stderr], [0, ""]);
        const expected = ["--expect", put("expected.json", stdout)];
        const ended = await Promise.all(
          quotes.map((quote) =>
            runConfigured(program, {}, "verify-quote", quote, ...common, ...options, ...expected)
          ),
        );
        assert.deepEqual(ended.map(({ code }) => code), [0, 1, 1], ended[0]!.stdout + ended[0]!.stderr);
        const failed = ended.map(({ stdout }) =>
          [...stdout.matchAll(/^failed +(\w+)/gm)].map(([, check]) => check)
        );
        assert.deepEqual(failed, [[], ["key_provider"], ["app_id"]]);
        assert.match(ended[0]!.stdout, /PASSED at [^,]*, waived: rtmr3\n$/);
      } finally {
        await Promise.all(agents.map((agent) => agent.close()));
      }
    });
  });
}

describe("describeWorkload()", () => {
  test("lists for a dstack app what all its instances have in common", async () => {
    using folder = temporaryFolder();
    const socket = join(folder.path, "dstack.sock");
    const agent = await startGuestAgent(socket, { root: OTHER_KMS });
    try {
      const config = readConfig({ TEE: "dstack", TEE_DSTACK_SOCKET: socket });
      const { workloads } = JSON.parse(await describeWorkload(config, random));
      const { measurements: [registers], ...app } = workloads.holdfast;
      assert.deepEqual([registers.mrTd, registers.rtmr3], ["d0".repeat(48), "any"]);
      assert.deepEqual(app, {
        composeHash: "33".repeat(32),
        appId: "11".repeat(20),
        keyProvider: `kms:${kmsIdOf(OTHER_KMS)}`,
      });
    } finally {
      await agent.close();
    }
  });

  test("lists for a bare trust domain all registers, and that its key is in a file", async () => {
    using folder = temporaryFolder();
    const report = join(folder.path, "report");
    mkdirSync(report);
    const kernel = watchFolder(report);
    try {
      const config = readConfig({
        TEE: "tdx",
        TEE_TSM_PATH: report,
        TEE_SEALING_KEY_FILE: makeKey(join(folder.path, "key")),
      });
      const { workloads } = JSON.parse(await describeWorkload(config, random));
      const { measurements: [registers], ...others } = workloads.holdfast;
      assert.equal(Object.keys(registers).length, 8);
      for (const value of Object.values(registers)) assert.match(String(value), /^[0-9a-f]{96}$/);
      assert.deepEqual(others, { keyProvider: "file" });
    } finally {
      kernel.close();
    }
  });

  test("refuses an event log that does not match the quote", async () => {
    using folder = temporaryFolder();
    const socket = join(folder.path, "dstack.sock");
    const agent = await startGuestAgent(socket, { faults: { GetQuote: "other_log" } });
    try {
      const config = readConfig({ TEE: "dstack", TEE_DSTACK_SOCKET: socket });
      await assert.rejects(describeWorkload(config, random), /This workload cannot be described: .*RTMR3/);
    } finally {
      await agent.close();
    }
  });
});
