import { utf8 } from "../lib/bytes.ts";

/** Authenticators may cut a longer name (WebAuthn Level 3 section 6.4.1). */
const MOST_BYTES = 64;

/** Reads `SERVICE_NAME`: one line of 1 to 64 bytes in UTF-8, without control and format characters. */
export function readServiceName(text: string, faults: string[]): string | undefined {
  const name = text.trim();
  const isLine = name !== "" && name.isWellFormed() && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);
  if (isLine && utf8(name).length <= MOST_BYTES) return name;
  faults.push(
    `SERVICE_NAME must be one line of at most ${MOST_BYTES} bytes, without control and invisible characters`,
  );
  return undefined;
}
