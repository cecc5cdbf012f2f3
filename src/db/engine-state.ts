import type { Engine } from "./engine.ts";
import { engineOf } from "./port.ts";
import type { Handle } from "./port.ts";

/** By what a handle and its transactions have in common. */
const memories = new WeakMap<Engine, Map<symbol, unknown>>();

/**
 * What this process knows of a handle's database under a name, made when it is first asked for: the same for the handle
 * and its transactions, and gone with them. No other process knows it, so nothing may be wrong when it is lost.
 */
export function processMemory<T>(db: Handle, name: symbol, make: () => T): T {
  const engine = engineOf(db);
  let memory = memories.get(engine);
  if (memory === undefined) memories.set(engine, memory = new Map());
  let known = memory.get(name) as T | undefined;
  if (known === undefined) memory.set(name, known = make());
  return known;
}
