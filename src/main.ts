import process from "node:process";
import { serve } from "./commands/serve.ts";
import type { Environment } from "./config.ts";

/** Every command of the executable. */
const COMMANDS: Readonly<Record<string, (environment: Environment) => Promise<void>>> = { serve };

const name = process.argv[2] ?? "serve";
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command === undefined) {
  process.stderr.write(
    `holdfast: there is no command ${name}; there is: ${Object.keys(COMMANDS).join(", ")}\n`,
  );
  process.exit(2);
} else {
  await command(process.env);
}
