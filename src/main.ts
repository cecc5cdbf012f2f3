import process from "node:process";
import { EXIT_REFUSED, refusalsOf, UsageError } from "./commands/process/refusal.ts";
import { printResult } from "./commands/process/print.ts";
import type { Environment } from "./config/config.ts";
import { visible } from "./lib/text.ts";

const VERSION = "0.1.0";

/** A loaded command. */
interface Loaded {
  /** Runs with the environment and the arguments after the command's name. */
  readonly run: (environment: Environment, list: readonly string[]) => Promise<void>;
  readonly usage: string;
  /** Additional text of `--help`. */
  readonly help?: string;
}

interface Command {
  /** The line of `help`; undefined for a command that only the program itself starts. */
  readonly about?: string;
  /** Loads one command: most need little of the service and then start in half the time. */
  readonly load: () => Promise<Loaded>;
}

/** Every command of the executable. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    about: "run the service (the default)",
    load: async () => {
      const { SERVE_USAGE, serve } = await import("./commands/serve.ts");
      return { run: serve, usage: SERVE_USAGE };
    },
  },
  broker: {
    about: "release sealing keys to the trust domains of an allow-list",
    load: async () => {
      const { BROKER_USAGE, broker } = await import("./commands/broker.ts");
      return { run: broker, usage: BROKER_USAGE };
    },
  },
  doctor: {
    about: "show the state of the installation, and what is wrong",
    load: async () => {
      const { DOCTOR_USAGE, doctor } = await import("./commands/doctor.ts");
      return { run: doctor, usage: DOCTOR_USAGE };
    },
  },
  health: {
    about: "ask the running service if it is ready: exit 0 or 1",
    load: async () => {
      const { HEALTH_USAGE, health } = await import("./commands/health.ts");
      return { run: health, usage: HEALTH_USAGE };
    },
  },
  "verify-audit": {
    about: "verify that the audit log is complete, and contains a head that you stored elsewhere",
    load: async () => {
      const { VERIFY_AUDIT_USAGE, verify } = await import("./commands/verify-audit.ts");
      return { run: verify, usage: VERIFY_AUDIT_USAGE };
    },
  },
  "verify-quote": {
    about: "verify that a quote comes from the TEE and the workload that you expect",
    load: async () => {
      const { VERIFY_QUOTE_HELP, VERIFY_QUOTE_USAGE, verifyQuoteCommand } = await import(
        "./commands/verify-quote.ts"
      );
      return { run: verifyQuoteCommand, usage: VERIFY_QUOTE_USAGE, help: VERIFY_QUOTE_HELP };
    },
  },
  "simulated-root": {
    about: "write the files that verify quotes of a simulated TEE",
    load: async () => {
      const { SIMULATED_ROOT_USAGE, simulatedRoot } = await import("./commands/simulated-root.ts");
      return { run: simulatedRoot, usage: SIMULATED_ROOT_USAGE };
    },
  },
  derive: {
    about: "print the addresses of an account's keys",
    load: async () => {
      const { DERIVE_USAGE, derive } = await import("./commands/derive.ts");
      return { run: derive, usage: DERIVE_USAGE };
    },
  },
  backup: {
    about: "copy the database, while the service runs",
    load: async () => {
      const { BACKUP_USAGE, backup } = await import("./commands/backup.ts");
      return { run: backup, usage: BACKUP_USAGE };
    },
  },
  restore: {
    about: "replace the database with a backup",
    load: async () => {
      const { RESTORE_USAGE, restore } = await import("./commands/restore.ts");
      return { run: restore, usage: RESTORE_USAGE };
    },
  },
  "upgrade-check": {
    about: "upgrade a copy of a database file to this version, and change nothing",
    load: async () => {
      const { UPGRADE_CHECK_USAGE, upgradeCheck } = await import("./commands/upgrade-check.ts");
      return { run: upgradeCheck, usage: UPGRADE_CHECK_USAGE };
    },
  },
  reseal: {
    about: "move the root seed to another sealing key",
    load: async () => {
      const { RESEAL_USAGE, reseal } = await import("./commands/reseal.ts");
      return { run: reseal, usage: RESEAL_USAGE };
    },
  },
  seal: {
    about: "list, test, add and remove the keys that open the root seed",
    load: async () => {
      const { SEAL_HELP, SEAL_USAGE, seal } = await import("./commands/seal.ts");
      return { run: seal, usage: SEAL_USAGE, help: SEAL_HELP };
    },
  },
  recovery: {
    about: "open the root seed with the holders of shares",
    load: async () => {
      const { RECOVERY_HELP, RECOVERY_USAGE, recovery } = await import("./commands/recovery.ts");
      return { run: recovery, usage: RECOVERY_USAGE, help: RECOVERY_HELP };
    },
  },
  "acknowledge-rollback": {
    about: "continue after the database was restored or its log was cut, and notify every account",
    load: async () => {
      const { ACKNOWLEDGE_ROLLBACK_USAGE, acknowledgeCommand } = await import(
        "./commands/acknowledge-rollback.ts"
      );
      return { run: acknowledgeCommand, usage: ACKNOWLEDGE_ROLLBACK_USAGE };
    },
  },
  "repair-account": {
    about: "let an account go on whose stored rows do not add up: all but its passkeys and keys ends",
    load: async () => {
      const { REPAIR_ACCOUNT_USAGE, repairCommand } = await import("./commands/repair-account.ts");
      return { run: repairCommand, usage: REPAIR_ACCOUNT_USAGE };
    },
  },
  "push-keys": {
    about: "print a new key pair for push messages",
    load: async () => {
      const { PUSH_KEYS_USAGE, pushKeys } = await import("./commands/push-keys.ts");
      return { run: pushKeys, usage: PUSH_KEYS_USAGE };
    },
  },
  "rotate-keys": {
    about: "create new keys for signing tokens",
    load: async () => {
      const { ROTATE_KEYS_USAGE, rotate } = await import("./commands/rotate-keys.ts");
      return { run: rotate, usage: ROTATE_KEYS_USAGE };
    },
  },
  "check-pages": {
    load: async () => {
      const { CHECK_PAGES_USAGE, checkPages } = await import("./commands/check-pages.ts");
      return { run: checkPages, usage: CHECK_PAGES_USAGE };
    },
  },
};

async function help(): Promise<string> {
  const shown = Object.values(COMMANDS).filter(({ about }) => about !== undefined);
  const lines = await Promise.all(
    shown.map(async ({ about, load }) => {
      const { usage } = await load();
      return `  ${usage}\n      ${about}\n`;
    }),
  );
  return `usage: holdfast [COMMAND]\n\n${lines.join("")}\n` +
    "Configuration is read from the environment: docs/reference/configuration.md. Guides: docs/README.md.\n";
}

/** Commands that need no configuration. */
const ANSWERS: Readonly<Record<string, () => string | Promise<string>>> = {
  "help": help,
  "--help": help,
  "-h": help,
  "--version": () => `holdfast ${VERSION}\n`,
};

async function run({ run, usage, help = "" }: Loaded, list: readonly string[]): Promise<void> {
  if (list.includes("--help")) {
    printResult(`usage: holdfast ${usage}\n${help}`);
    return;
  }
  try {
    await run(process.env, list);
  } catch (error) {
    const refusals = refusalsOf(error);
    if (refusals === undefined) throw error;
    for (const refusal of refusals) process.stderr.write(`holdfast: ${visible(refusal)}\n`);
    if (error instanceof UsageError) process.stderr.write(`usage: holdfast ${usage}\n`);
    process.exit(EXIT_REFUSED);
  }
}

const [name = "serve", ...list] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command !== undefined) await run(await command.load(), list);
else if (Object.hasOwn(ANSWERS, name)) printResult(await ANSWERS[name]!());
else {
  process.stderr.write(
    `holdfast: there is no command ${name}; commands: ${
      Object.keys(COMMANDS).filter((name) => COMMANDS[name]!.about !== undefined).join(", ")
    }\n`,
  );
  process.exit(EXIT_REFUSED);
}
