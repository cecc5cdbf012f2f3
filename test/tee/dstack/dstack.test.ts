import assert from "node:assert/strict";
import { hkdfSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { utf8 } from "../../../src/lib/bytes.ts";
import type { LogFields } from "../../../src/lib/log.ts";
import { connectUnix } from "../../../src/runtime/unix-socket.ts";
import { isSocket, openDstackTee } from "../../../src/tee/dstack/dstack.ts";
import type { DstackTeeOptions } from "../../../src/tee/dstack/dstack.ts";
import { TeeStartError } from "../../../src/tee/hardware.ts";
import type { TeeStartFault } from "../../../src/tee/hardware.ts";
import { parseQuote } from "../../../src/tee/quote/parse.ts";
import { TeeUnavailableError } from "../../../src/tee/tee.ts";
import { inFolder } from "../../support/folder.ts";
import { startGuestAgent } from "../../support/guest-agent.ts";
import type { AgentBehaviour, AgentFault, AgentMethod, GuestAgent } from "../../support/guest-agent.ts";

const REPORT_DATA = Uint8Array.from({ length: 64 }, (_, index) => index + 100);
const VECTORS = new URL("../../../../shared/vectors/tdx/", import.meta.url);

/** Faults without a reply: the deadline ends the exchange. */
const SILENT: readonly AgentFault[] = ["hang", "half_body_hang", "drip"];
/** Milliseconds in which also a busy machine answers the requests before a silent one. */
const SHORT_DEADLINE = 3000;
/** Faults in which the connection is closed. */
const BROKEN: readonly AgentFault[] = ["drop", "garbage", "half_body"];
/** Wrong replies to any method. */
const WRONG: readonly AgentFault[] = ["html", "flood", "cut_json", "array", "empty_object"];
/** Replies that refuse. */
const REFUSING: readonly AgentFault[] = ["html_500", "error_400", "legacy"];

const WRONG_QUOTES: readonly AgentFault[] = [
  "empty_quote",
  "wrong_echo",
  "wrong_report_data",
  "debug",
  "upper_case_quote",
  "odd_quote",
  "short_quote",
  "cut_quote",
  "version_3",
  "no_event_log",
  "event_log_no_json",
];

interface Scene {
  readonly agent: GuestAgent;
  readonly options: DstackTeeOptions;
  readonly logged: { readonly level: string; readonly event: string; readonly fields: LogFields }[];
  /** Returns the milliseconds that the clock advanced by waiting. */
  waited(): number;
}

/** Runs the job with an agent and a clock that only waiting advances. */
async function withAgent(
  behaviour: Partial<AgentBehaviour>,
  job: (scene: Scene) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const agent = await startGuestAgent(join(folder, "dstack.sock"), behaviour);
    let time = 1_800_000_000_000;
    const start = time;
    const logged: Scene["logged"] = [];
    const options: DstackTeeOptions = {
      socketPath: agent.socketPath,
      connect: connectUnix,
      api: "v0",
      kms: undefined,
      now: () => time,
      wait: (milliseconds) => Promise.resolve(time += milliseconds),
      log: (level, event, fields) => logged.push({ level, event, fields }),
    };
    try {
      await job({ agent, options, logged, waited: () => time - start });
    } finally {
      await agent.close();
    }
  });
}

function faulty(method: AgentMethod, fault: AgentFault): Partial<AgentBehaviour> {
  return { faults: { [method]: fault } };
}

function fault(code: TeeStartFault, says?: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof TeeStartError, String(error));
    assert.equal(error.code, code);
    if (says !== undefined) assert.match(error.message, says);
    return true;
  };
}

/** Opens the TEE, which succeeds, and asks for its key. */
async function sealingKeyOf(options: DstackTeeOptions): Promise<Uint8Array> {
  const tee = await openDstackTee(options).catch((cause: unknown) => {
    throw new Error("The TEE did not open", { cause });
  });
  return await tee.sealingKey();
}

describe("openDstackTee()", () => {
  test("is a real TEE whose key comes from the KMS and survives upgrades, and warns of nothing", async () => {
    await withAgent({}, async ({ options, logged }) => {
      const tee = await openDstackTee(options);
      assert.deepEqual([tee.provider, tee.inTee], ["dstack", true]);
      assert.deepEqual(tee.keySource, { name: "kms", survivesUpgrades: "yes" });
      assert.deepEqual(logged, []);
    });
  });

  test("requests a key with its own path and purpose, and for one quote", async () => {
    await withAgent({}, async ({ agent, options }) => {
      await openDstackTee(options);
      const key = JSON.stringify({ path: "holdfast/seal/v1", purpose: "sealing", algorithm: "secp256k1" });
      assert.deepEqual(agent.requests.slice(0, 2), [{ method: "Info", body: "{}" }, {
        method: "GetKey",
        body: key,
      }]);
      assert.deepEqual(agent.requests.slice(2).map(({ method }) => method), ["GetQuote"]);
    });
  });

  test("ignores the variables that redirect the SDK", async () => {
    const names = ["DSTACK_SIMULATOR_ENDPOINT", "TAPPD_SIMULATOR_ENDPOINT", "DSTACK_AGENT_ADDRESS"];
    await withAgent({}, async ({ options }) => {
      const expected = await (await openDstackTee(options)).sealingKey();
      await withAgent({ root: "77".repeat(32) }, async ({ agent: other }) => {
        for (const name of names) process.env[name] = other.socketPath;
        try {
          assert.deepEqual(await (await openDstackTee(options)).sealingKey(), expected);
          assert.deepEqual(other.requests, []);
        } finally {
          for (const name of names) delete process.env[name];
        }
      });
    });
  });

  test("warns that the key is lost on an upgrade when a local enclave keeps it", async () => {
    await withAgent({ keyProvider: "local-sgx" }, async ({ options, logged }) => {
      const tee = await openDstackTee(options);
      assert.deepEqual(tee.keySource, { name: "local-sgx", survivesUpgrades: "no" });
      const fields = { provider: "dstack", keyProvider: "local-sgx" };
      assert.deepEqual(logged, [{ level: "warn", event: "sealing_key_lost_on_upgrade", fields }]);
    });
  });

  for (
    const [keyProvider, says] of [["none", /lost at the next boot/], ["tpm", /tpm/], [
      "other",
      /other/,
    ]] as const
  ) {
    test(`refuses key provider ${keyProvider} without asking for a key`, async () => {
      await withAgent({ keyProvider }, async ({ agent, options, waited }) => {
        await assert.rejects(openDstackTee(options), fault("key_source", says));
        assert.deepEqual(agent.requests.map(({ method }) => method), ["Info"]);
        assert.equal(waited(), 0);
      });
    });
  }

  for (const wrong of ["no_key_provider", "key_provider_no_json"] as const) {
    test(`refuses an Info without a key provider: ${wrong}`, async () => {
      await withAgent(faulty("Info", wrong), async ({ options }) => {
        await assert.rejects(openDstackTee(options), fault("wrong_answer", /Info/));
      });
    });
  }

  for (const [method, refused] of [["Info", openDstackTee], ["GetKey", sealingKeyOf]] as const) {
    for (const wrong of [...WRONG, ...REFUSING]) {
      test(`refuses at once when ${method} returns a wrong reply: ${wrong}`, async () => {
        await withAgent(faulty(method, wrong), async ({ options, waited }) => {
          await assert.rejects(refused(options), fault("wrong_answer"));
          assert.equal(waited(), 0);
        });
      });
    }

    const timesOut = (absent: AgentFault, deadline = 20_000): Promise<void> =>
      withAgent(faulty(method, absent), async ({ options, waited, logged }) => {
        await assert.rejects(
          refused({ ...options, deadline, wait: () => options.wait!(7500) }),
          fault("unreachable"),
          absent,
        );
        assert.equal(waited(), 30_000, absent);
        assert.deepEqual(logged.map(({ event }) => event), ["tee_waiting"], absent);
      });
    for (const absent of BROKEN) {
      test(`times out after 30 seconds of ${method}: ${absent}`, () => timesOut(absent));
    }
    test(`times out after 30 seconds of ${method}: ${SILENT.join(", ")}`, async () => {
      await Promise.all(SILENT.map((absent) => timesOut(absent, 1000)));
    });
  }

  test("has quotes and no key while the agent refuses GetKey", async () => {
    await withAgent(faulty("GetKey", "html_500"), async ({ agent, options }) => {
      const tee = await openDstackTee(options);
      assert.equal(tee.keyProvider.verified, null);
      assert.equal((await tee.quote(REPORT_DATA)).eventLog !== undefined, true);
      agent.behave({ faults: {} });
      await assert.rejects(tee.sealingKey(), fault("wrong_answer", /GetKey was refused: status 500/));
      tee.forgetSealingKey();
    });
  });

  for (const wrong of ["short_key", "upper_case_key", "prefixed_key", "pem_key", "zero_key"] as const) {
    test(`refuses an invalid key: ${wrong}`, async () => {
      await withAgent(faulty("GetKey", wrong), async ({ options }) => {
        await assert.rejects(sealingKeyOf(options), fault("wrong_answer", /GetKey/));
      });
    });
  }

  test("shows the agent's message of a refusal, in one line of plain characters", async () => {
    await withAgent(faulty("GetKey", "error_400"), async ({ options }) => {
      await assert.rejects(
        sealingKeyOf(options),
        fault("wrong_answer", /status 400, Failed to get quote:\?QGS is/),
      );
    });
  });

  test("times out after 30 seconds when there is no socket, and names it", async () => {
    await withAgent({}, async ({ agent, options, waited }) => {
      await agent.close();
      await assert.rejects(
        openDstackTee(options),
        fault("unreachable", /dstack\.sock: no answer \(ENOENT\)/),
      );
      assert.equal(waited(), 30_000);
    });
  });

  test("waits for an agent that starts late", async () => {
    await withAgent({}, async ({ agent, options, waited, logged }) => {
      await agent.close();
      let late: GuestAgent | undefined;
      const wait = async (milliseconds: number): Promise<void> => {
        await options.wait!(milliseconds);
        if (waited() === 20_000) late = await startGuestAgent(agent.socketPath);
      };
      const tee = await openDstackTee({ ...options, wait });
      assert.equal((await tee.sealingKey()).length, 32);
      assert.equal(waited(), 20_000);
      assert.deepEqual(logged.map(({ event }) => event), ["tee_waiting"]);
      await late!.close();
    });
  });

  for (const wrong of [...WRONG, ...WRONG_QUOTES]) {
    test(`refuses when the first quote is wrong: ${wrong}`, async () => {
      await withAgent(faulty("GetQuote", wrong), async ({ options, waited }) => {
        await assert.rejects(
          openDstackTee(options),
          fault(wrong === "debug" ? "under_debug" : "wrong_answer"),
        );
        assert.equal(waited(), 0);
      });
    });
  }

  test("reports that the platform is not TDX when the first quote is empty", async () => {
    await withAgent(faulty("GetQuote", "empty_quote"), async ({ options }) => {
      await assert.rejects(openDstackTee(options), fault("wrong_answer", /this platform is not TDX/));
    });
  });

  async function startsWithWarning(absent: AgentFault, deadline = 20_000): Promise<void> {
    await withAgent(faulty("GetQuote", absent), async ({ options, logged }) => {
      const tee = await openDstackTee({ ...options, deadline });
      assert.equal((await tee.sealingKey()).length, 32);
      const warnings = logged.filter(({ level }) => level === "warn").map(({ event }) => event);
      assert.deepEqual(warnings, ["tee_gives_no_quote"], absent);
    });
  }
  for (const absent of [...BROKEN, ...REFUSING]) {
    test(`starts with a warning when there is no quote now: ${absent}`, () => startsWithWarning(absent));
  }
  test(`starts with a warning when there is no quote now: ${SILENT.join(", ")}`, async () => {
    await Promise.all(SILENT.map((absent) => startsWithWarning(absent, SHORT_DEADLINE)));
  });
});

describe("sealingKey() of dstack", () => {
  test("has not changed since the first version, for a fixed key of the agent", async () => {
    await withAgent({}, async ({ options }) => {
      // HKDF-SHA-256 of the agent's key, which dstack derives by HKDF-SHA-256 of its root.
      const hkdf = (key: Uint8Array, salt: string, info: Uint8Array): Uint8Array =>
        new Uint8Array(hkdfSync("sha256", key, salt, info, 32));
      const appInfo = new Uint8Array([...new Uint8Array(20).fill(0x11), ...utf8("app-key")]);
      const agentKey = hkdf(
        hkdf(new Uint8Array(32).fill(0x22), "RATLS", appInfo),
        "RATLS",
        utf8("holdfast/seal/v1"),
      );
      const expected = hkdf(agentKey, "holdfast", utf8("dstack-sealing-key/v1"));
      const key = await (await openDstackTee(options)).sealingKey();
      assert.deepEqual(key, expected);
      assert.equal(key.toHex(), "012e7e49e1aa8c63bd45d5afd8fc9b1bd9cc9bbfa554e07dfcdde401e0f5e1ba");
    });
  });

  test("returns a copy each time, which its caller may wipe, and asks the agent once", async () => {
    await withAgent({}, async ({ agent, options }) => {
      const tee = await openDstackTee(options);
      const key = await tee.sealingKey();
      const before = key.slice();
      key.fill(0);
      await agent.close();
      assert.deepEqual(await tee.sealingKey(), before);
      assert.equal(agent.requests.filter(({ method }) => method === "GetKey").length, 1);
    });
  });

  test("is not available after it was cleared, and quotes still work", async () => {
    await withAgent({}, async ({ options }) => {
      const tee = await openDstackTee(options);
      const key = await tee.sealingKey();
      tee.forgetSealingKey();
      await assert.rejects(tee.sealingKey(), /it was forgotten/);
      assert.ok(key.some((byte) => byte !== 0), "A copy is its taker's");
      assert.ok((await tee.quote(REPORT_DATA)).quote.length > 0);
    });
  });

  test("is the same after a restart, another for another application or KMS", async () => {
    await withAgent({}, async ({ agent, options }) => {
      const keyOf = async (change: Partial<AgentBehaviour>): Promise<string> => {
        agent.behave(change);
        return (await (await openDstackTee(options)).sealingKey()).toHex();
      };
      const first = await keyOf({});
      assert.equal(await keyOf({}), first);
      const redeployed = await keyOf({ appId: "99".repeat(20) });
      const elsewhere = await keyOf({ appId: "11".repeat(20), root: "66".repeat(32) });
      assert.equal(new Set([first, redeployed, elsewhere]).size, 3);
    });
  });
});

describe("quote() of dstack", () => {
  test("returns a quote over the report data and the agent's event log", async () => {
    await withAgent({}, async ({ options }) => {
      const { quote, eventLog } = await (await openDstackTee(options)).quote(REPORT_DATA);
      assert.deepEqual(parseQuote(quote).report.reportData, REPORT_DATA);
      const names = (JSON.parse(eventLog!) as { event: string }[]).map(({ event }) => event);
      assert.equal(names[0], "system-preparing");
      assert.equal(names.at(-1), "system-ready");
    });
  });

  test("omits the unsigned padding", async () => {
    await withAgent({}, async ({ agent, options }) => {
      const tee = await openDstackTee(options);
      const { quote } = await tee.quote(REPORT_DATA);
      agent.behave(faulty("GetQuote", "padded_quote"));
      assert.equal((await tee.quote(REPORT_DATA)).quote.length, quote.length);
    });
  });

  for (const length of [0, 32, 63, 65]) {
    test(`refuses ${length} bytes of report data with a TypeError`, async () => {
      await withAgent({}, async ({ options }) => {
        const tee = await openDstackTee(options);
        await assert.rejects(tee.quote(new Uint8Array(length)), TypeError);
      });
    });
  }

  async function recovers(wrong: AgentFault, deadline = 20_000): Promise<void> {
    await withAgent({}, async ({ agent, options }) => {
      const tee = await openDstackTee({ ...options, deadline });
      agent.behave(faulty("GetQuote", wrong));
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError, wrong);
      assert.equal((await tee.sealingKey()).length, 32);
      agent.behave({ faults: {} });
      assert.deepEqual(parseQuote((await tee.quote(REPORT_DATA)).quote).report.reportData, REPORT_DATA);
    });
  }
  for (const wrong of [...BROKEN, ...WRONG, ...REFUSING, ...WRONG_QUOTES]) {
    test(`is unavailable, and recovers, when the agent misbehaves after the start: ${wrong}`, () =>
      recovers(wrong));
  }
  test(`is unavailable, and recovers, when the agent is silent after the start: ${SILENT.join(", ")}`, async () => {
    await Promise.all(SILENT.map((wrong) => recovers(wrong, SHORT_DEADLINE)));
  });

  test("is unavailable while the agent is down, and recovers with it", async () => {
    await withAgent({}, async ({ agent, options }) => {
      const tee = await openDstackTee(options);
      await agent.close();
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
      const again = await startGuestAgent(agent.socketPath);
      assert.ok((await tee.quote(REPORT_DATA)).quote.length > 1000);
      await again.close();
    });
  });

  test("retries once when the connection breaks", async () => {
    await withAgent({}, async ({ agent, options }) => {
      const tee = await openDstackTee(options);
      agent.behave(faulty("GetQuote", "drop"));
      const before = agent.requests.length;
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
      assert.equal(agent.requests.length, before + 2);
    });
  });

  test("requests one quote at a time", async () => {
    await withAgent({}, async ({ agent, options }) => {
      const tee = await openDstackTee(options);
      const data = [1, 2, 3, 4].map((value) => new Uint8Array(64).fill(value));
      const quotes = await Promise.all(data.map((reportData) => tee.quote(reportData)));
      assert.deepEqual(quotes.map(({ quote }) => parseQuote(quote).report.reportData), data);
      assert.equal(agent.mostAtOnce(), 1);
    });
  });

  test("is refused beyond its limits", async () => {
    await withAgent({}, async ({ options }) => {
      const quoteLimits = { waiting: 8, burst: 1, interval: 1000, quoteTimeout: 9000 };
      const tee = await openDstackTee({ ...options, quoteLimits });
      await tee.quote(REPORT_DATA);
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
    });
  });
});

describe("isSocket()", () => {
  test("returns true for a socket and false for anything else", async () => {
    await withAgent({}, async ({ agent }) => {
      const file = `${agent.socketPath}.txt`;
      writeFileSync(file, "");
      assert.equal(await isSocket(agent.socketPath), true);
      assert.equal(await isSocket(file), false);
      assert.equal(await isSocket(`${agent.socketPath}.absent`), false);
    });
  });
});

for (const name of ["dstack-v4.getquote-response.json", "dstack-v4-lite.getquote-response.json"]) {
  const file = new URL(name, VECTORS);
  const skip = existsSync(file) ? false : "The shared vectors are not here";
  test(`quote() accepts the reply of a real agent: ${name}`, { skip }, async () => {
    const recorded = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    await withAgent({}, async ({ agent, options }) => {
      const tee = await openDstackTee(options);
      agent.behave({ recorded });
      const reportData = Uint8Array.fromHex(recorded["report_data"]!);
      const { quote, eventLog } = await tee.quote(reportData);
      assert.ok(recorded["quote"]!.startsWith(quote.toHex()));
      assert.equal(eventLog, recorded["event_log"]);
      // No other kind of fault is mistaken for an absence.
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
    });
  });
}
