import { type AbiParameter, readAbiFunction } from "../abi.ts";

/**
 * Returns the members of the first struct, with nested structs in place. Undefined if invalid or recursive. Names of
 * structs may have a colon, which Hyperliquid uses.
 */
export function readEncodeType(text: string): readonly AbiParameter[] | undefined {
  const structs = new Map<string, string>();
  let primary: string | undefined;
  for (const [, name, members] of text.matchAll(/([A-Za-z_$][A-Za-z0-9_$:]*)\(([^()]*)\)/g)) {
    if (structs.has(name!)) return undefined;
    primary ??= name;
    structs.set(name!, members!);
  }
  if (primary === undefined || text.length > 8_192 || structs.size > 64) return undefined;
  const written = [...structs].map(([name, members]) => `${name}(${members})`).join("");
  if (written !== text) return undefined;
  const expanded = expand(structs, primary, 0);
  return expanded === undefined ? undefined : readAbiFunction(`f(${expanded})`)?.parameters;
}

/** Formats the members of a struct as the ABI does, with structs as tuples. */
function expand(structs: ReadonlyMap<string, string>, name: string, depth: number): string | undefined {
  const members = structs.get(name);
  if (members === undefined || depth > 8) return undefined;
  const written: string[] = [];
  for (const member of members === "" ? [] : members.split(",")) {
    const [, base, dimensions, field] =
      /^([A-Za-z_$][\w$:]*)((?:\[\d*\])*) ([A-Za-z_$][\w$]*)$/.exec(member) ?? [];
    if (base === undefined) return undefined;
    const inner = structs.has(base) ? expand(structs, base, depth + 1) : undefined;
    if (structs.has(base) && inner === undefined) return undefined;
    written.push(`${inner === undefined ? base : `(${inner})`}${dimensions} ${field}`);
  }
  return written.join(",");
}
