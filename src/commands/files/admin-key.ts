import type { Config, Secrets } from "../../config/config.ts";
import { newSecret, type RandomBytes } from "../../lib/id.ts";
import { loadMadeSecret } from "./made-secret.ts";

/** Returns the configured admin key. In development without one, a key that is kept in the data folder. */
export async function loadAdminKey(
  config: Pick<Config, "dataDir" | "databasePath">,
  { adminApiKey }: Pick<Secrets, "adminApiKey">,
  random: RandomBytes,
): Promise<string> {
  return adminApiKey ?? await loadMadeSecret(config, "admin-api-key", () => newSecret(random), random);
}
