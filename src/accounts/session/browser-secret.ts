import { newSecret, SECRET_LENGTH } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { hashSecret } from "./bearer-secret.ts";

/**
 * A secret for a browser nobody has signed in from: what was begun in one browser is finished only there (login CSRF,
 * a code read over somebody's shoulder). It grants nothing by itself and has no row.
 */
export function newBrowserSecret(random: RandomBytes): string {
  return newSecret(random);
}

/** The form in which rows refer to a browser; undefined for a text that no `newBrowserSecret` made. */
export function readBrowserHash(secret: string): string | undefined {
  return secret.length === SECRET_LENGTH && /^[A-Za-z0-9]+$/.test(secret) ? hashSecret(secret) : undefined;
}
