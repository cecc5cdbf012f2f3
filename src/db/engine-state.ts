import type { Engine } from "./engine.ts";
import { engineOf, type Handle } from "./port.ts";

/** Keyed by the engine, which a handle and its transactions share. */
const states = new WeakMap<Engine, Map<symbol, unknown>>();

/** Returns this process's state for a database, made on first use. Correctness must not depend on it. */
export function engineState<T>(db: Handle, name: symbol, make: () => T): T {
  const engine = engineOf(db);
  let state = states.get(engine);
  if (state === undefined) states.set(engine, state = new Map());
  let known = state.get(name) as T | undefined;
  if (known === undefined) state.set(name, known = make());
  return known;
}
