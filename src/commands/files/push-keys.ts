import type { Config, Secrets } from "../../config/config.ts";
import { isDevelopment } from "../../config/mode.ts";
import type { PublicPush } from "../../config/push.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { isPushKeyPair, makePushKeyPair, type PushKeyPair, type PushKeys } from "../../push/keys.ts";
import { StartRefusal } from "../process/refusal.ts";
import { loadMadeSecret } from "./made-secret.ts";

/** The contact in development, where the keys are made. */
const DEVELOPER = "mailto:developer@localhost";

/** Returns the configured keys of push messages, if they are set. Throws `StartRefusal` if they are no pair. */
async function getConfiguredKeys(
  { publicKey, contact }: PublicPush,
  privateKey: string | undefined,
): Promise<PushKeys | undefined> {
  if (privateKey === undefined || publicKey === undefined || contact === undefined) return undefined;
  if (await isPushKeyPair({ publicKey, privateKey })) return { publicKey, privateKey, contact };
  throw new StartRefusal(
    "PUSH_PRIVATE_KEY is not the key of PUSH_PUBLIC_KEY: `holdfast push-keys` makes both",
  );
}

/**
 * Returns the configured keys of push messages; undefined if they are off. In development without keys, a pair that is
 * kept in the data folder. Throws `StartRefusal` for keys that do not belong together.
 */
export async function loadPushKeys(
  config: Pick<Config, "dataDir" | "databasePath" | "baseUrl" | "push">,
  { pushPrivateKey }: Pick<Secrets, "pushPrivateKey">,
  random: RandomBytes,
): Promise<PushKeys | undefined> {
  if (config.push.wanted === "off") return undefined;
  const configured = await getConfiguredKeys(config.push, pushPrivateKey);
  if (configured !== undefined || !isDevelopment(config.baseUrl)) return configured;
  const make = async () => JSON.stringify(await makePushKeyPair());
  const pair = JSON.parse(await loadMadeSecret(config, "push-keys", make, random)) as PushKeyPair;
  return { ...pair, contact: DEVELOPER };
}

/** Returns true if a start would turn push messages on. Creates no keys. Throws the errors of `loadPushKeys`. */
export async function isPushOn(
  { push, baseUrl }: Pick<Config, "baseUrl" | "push">,
  { pushPrivateKey }: Pick<Secrets, "pushPrivateKey">,
): Promise<boolean> {
  if (push.wanted === "off") return false;
  return await getConfiguredKeys(push, pushPrivateKey) !== undefined || isDevelopment(baseUrl);
}
