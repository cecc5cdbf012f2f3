import type { Engine } from "./engine.ts";
import { engineOf, type Handle } from "./port.ts";

/** Keyed by the engine, which a handle and its transactions share. */
const memories = new WeakMap<Engine, Map<symbol, unknown>>();

/** Returns this process's state for a database, made on first use. Correctness must not depend on it. */
export function processMemory<T>(db: Handle, name: symbol, make: () => T): T {
  const engine = engineOf(db);
  let memory = memories.get(engine);
  if (memory === undefined) memories.set(engine, memory = new Map());
  let known = memory.get(name) as T | undefined;
  if (known === undefined) memory.set(name, known = make());
  return known;
}
