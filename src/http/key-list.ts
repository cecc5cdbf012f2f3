import { type EthereumKey, KEYS_AT_ONCE, listKeys } from "../keys/key.ts";
import { yieldToEventLoop } from "../lib/cooperative.ts";
import type { RequestContext } from "./request-context.ts";
import type { Services } from "./services.ts";

/** Lists keys in parts. Other requests run between two parts. */
export async function listCooperatively(
  context: RequestContext,
  { db, authority }: Services,
  value: Parameters<typeof listKeys>[2],
): ReturnType<typeof listKeys> {
  const keys: EthereumKey[] = [];
  for (let { fromIndex } = value;;) {
    const limit = Math.min(KEYS_AT_ONCE, value.limit - keys.length);
    const part = await listKeys(db, authority, { ...value, fromIndex, limit });
    keys.push(...part.keys);
    const { nextIndex } = part;
    if (nextIndex === undefined || keys.length === value.limit) return { keys, nextIndex };
    await context.enterCpuQueue();
    await yieldToEventLoop();
    fromIndex = nextIndex;
  }
}
