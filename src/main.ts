import process from "node:process";
import { ACKNOWLEDGE_ROLLBACK_USAGE, acknowledgeCommand } from "./commands/acknowledge-rollback.ts";
import { backup, BACKUP_USAGE } from "./commands/backup.ts";
import { broker, BROKER_USAGE } from "./commands/broker.ts";
import { derive, DERIVE_USAGE } from "./commands/derive.ts";
import { doctor, DOCTOR_USAGE } from "./commands/doctor.ts";
import { EXIT_REFUSED, refusalsOf, UsageError } from "./commands/refusal.ts";
import { reseal, RESEAL_USAGE } from "./commands/reseal.ts";
import { restore, RESTORE_USAGE } from "./commands/restore.ts";
import { rotate, ROTATE_KEYS_USAGE } from "./commands/rotate-keys.ts";
import { serve, SERVE_USAGE } from "./commands/serve.ts";
import { SIMULATED_ROOT_USAGE, simulatedRoot } from "./commands/simulated-root.ts";
import { verify, VERIFY_AUDIT_USAGE } from "./commands/verify-audit.ts";
import { VERIFY_QUOTE_HELP, VERIFY_QUOTE_USAGE, verifyQuoteCommand } from "./commands/verify-quote.ts";
import type { Environment } from "./config.ts";
import { visible } from "./lib/text.ts";

const VERSION = "0.1.0";

interface Command {
  /** Runs with the environment and the arguments after the command's name. */
  readonly run: (environment: Environment, list: readonly string[]) => Promise<void>;
  readonly usage: string;
  readonly about: string;
  /** What `--help` says besides. */
  readonly help?: string;
}

/** Every command of the executable. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: { run: serve, usage: SERVE_USAGE, about: "run the service (the default)" },
  broker: {
    run: broker,
    usage: BROKER_USAGE,
    about: "release sealing keys to the trust domains of an allow-list",
  },
  doctor: {
    run: doctor,
    usage: DOCTOR_USAGE,
    about: "say what the installation stands on, and what is wrong",
  },
  "verify-audit": {
    run: verify,
    usage: VERIFY_AUDIT_USAGE,
    about: "prove that the audit log is whole, and holds a head that was kept elsewhere",
  },
  "verify-quote": {
    run: verifyQuoteCommand,
    usage: VERIFY_QUOTE_USAGE,
    about: "prove that a quote comes from the TEE and the workload that you expect",
    help: VERIFY_QUOTE_HELP,
  },
  "simulated-root": {
    run: simulatedRoot,
    usage: SIMULATED_ROOT_USAGE,
    about: "write what it takes to verify the quotes of a simulated TEE",
  },
  derive: { run: derive, usage: DERIVE_USAGE, about: "print the addresses of an account's keys" },
  backup: { run: backup, usage: BACKUP_USAGE, about: "copy the database, while the service runs" },
  restore: { run: restore, usage: RESTORE_USAGE, about: "put a backup in the place of the database" },
  reseal: { run: reseal, usage: RESEAL_USAGE, about: "move the root seed to another sealing key" },
  "acknowledge-rollback": {
    run: acknowledgeCommand,
    usage: ACKNOWLEDGE_ROLLBACK_USAGE,
    about: "go on after the database was put back or its log was cut, and tell every account",
  },
  "rotate-keys": { run: rotate, usage: ROTATE_KEYS_USAGE, about: "make new keys to sign tokens with" },
};

function help(): string {
  const lines = Object.values(COMMANDS).map(({ usage, about }) => `  ${usage}\n      ${about}\n`);
  return `usage: holdfast [COMMAND]\n\n${lines.join("")}\n` +
    "Configuration is read from the environment. OPERATING.md tells how to upgrade, back up and recover.\n";
}

/** What is printed and done without any configuration. */
const ANSWERS: Readonly<Record<string, () => string>> = {
  "help": help,
  "--help": help,
  "-h": help,
  "--version": () => `holdfast ${VERSION}\n`,
};

async function run({ run, usage, help = "" }: Command, list: readonly string[]): Promise<void> {
  if (list.includes("--help")) {
    process.stdout.write(`usage: holdfast ${usage}\n${help}`);
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
if (command !== undefined) await run(command, list);
else if (Object.hasOwn(ANSWERS, name)) process.stdout.write(ANSWERS[name]!());
else {
  process.stderr.write(
    `holdfast: there is no command ${name}; there is: ${Object.keys(COMMANDS).join(", ")}\n`,
  );
  process.exit(EXIT_REFUSED);
}
