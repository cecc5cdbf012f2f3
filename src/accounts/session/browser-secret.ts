import { newSecret, type RandomBytes, SECRET_LENGTH } from "../../lib/id.ts";
import { hashSecret } from "./bearer-secret.ts";

/**
 * Creates a secret for a browser before sign-in. An operation begun in one browser can be finished only there, which
 * prevents login CSRF and the use of a spied code. Grants nothing by itself and has no row.
 */
export function newBrowserSecret(random: RandomBytes): string {
  return newSecret(random);
}

/** Returns undefined for a text that `newBrowserSecret` cannot have created. */
export function readBrowserHash(secret: string): string | undefined {
  return secret.length === SECRET_LENGTH && /^[A-Za-z0-9]+$/.test(secret) ? hashSecret(secret) : undefined;
}
