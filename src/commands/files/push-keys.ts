import type { Config, Secrets } from "../../config/config.ts";
import { isDevelopment } from "../../config/mode.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { isPushKeyPair, makePushKeyPair, type PushKeyPair, type PushKeys } from "../../push/keys.ts";
import { StartRefusal } from "../process/refusal.ts";
import { loadMadeSecret } from "./made-secret.ts";

/** The contact in development, where the keys are made. */
const DEVELOPER = "mailto:developer@localhost";

/**
 * Returns the configured keys of push messages; undefined if they are off. In development without keys, a pair that is
 * kept in the data folder. Throws `StartRefusal` for keys that do not belong together.
 */
export async function loadPushKeys(
  config: Pick<Config, "dataDir" | "databasePath" | "baseUrl" | "push">,
  { pushPrivateKey: privateKey }: Pick<Secrets, "pushPrivateKey">,
  random: RandomBytes,
): Promise<PushKeys | undefined> {
  const { wanted, publicKey, contact } = config.push;
  if (wanted === "off") return undefined;
  if (privateKey !== undefined && publicKey !== undefined && contact !== undefined) {
    if (await isPushKeyPair({ publicKey, privateKey })) return { publicKey, privateKey, contact };
    throw new StartRefusal(
      "PUSH_PRIVATE_KEY is not the key of PUSH_PUBLIC_KEY: `holdfast push-keys` makes both",
    );
  }
  if (!isDevelopment(config.baseUrl)) return undefined;
  const make = async () => JSON.stringify(await makePushKeyPair());
  const pair = JSON.parse(await loadMadeSecret(config, "push-keys", make, random)) as PushKeyPair;
  return { ...pair, contact: DEVELOPER };
}
