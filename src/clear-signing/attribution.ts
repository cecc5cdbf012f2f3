import { fromHex } from "../lib/bytes.ts";
import { textOfBytes } from "./message.ts";

/** The last bytes of a suffix (ERC-8021). */
const MARKER = "80218021802180218021802180218021";

/**
 * Returns the codes of an attribution suffix (ERC-8021), separated by commas, of schema 0: the codes, their length in
 * one byte, the schema and the marker. Returns undefined unless the bytes are exactly that.
 */
export function readAttribution(rest: string): string | undefined {
  if (!rest.endsWith(`00${MARKER}`)) return undefined;
  const bytes = fromHex(rest)!.subarray(0, -17);
  const length = bytes.at(-1);
  return length === bytes.length - 1 ? textOfBytes(bytes.subarray(0, -1)) : undefined;
}
