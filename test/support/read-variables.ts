import { SECRET_SETTINGS, withSecretFiles } from "../../src/commands/files/secret-files.ts";
import { ConfigError, readConfig, readSecrets } from "../../src/config/config.ts";
import type { Environment } from "../../src/config/config.ts";

/** Valid settings under which every other variable is read. */
const SETTINGS: Environment = { DATABASE_URL: "postgres://user@localhost/database" };

/** Returns the names of all variables that a configuration is read from, sorted. */
export function listReadVariables(): readonly string[] {
  const names = new Set<string>(SECRET_SETTINGS);
  const environment = new Proxy(SETTINGS, {
    get: (settings, name) => {
      names.add(String(name));
      return settings[String(name)];
    },
  });
  withSecretFiles(environment);
  readConfig(environment);
  readSecrets(environment);
  return [...names].sort();
}

/** Returns true if a configuration with this variable is refused because of its name. */
export function isRefusedName(name: string): boolean {
  try {
    readConfig({ [name]: "x" });
    return false;
  } catch (error) {
    return error instanceof ConfigError &&
      error.faults.some((fault) => fault.startsWith(`${name} is not known`));
  }
}
