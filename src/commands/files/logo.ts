import { ConfigError } from "../../config/config.ts";
import { PlainFileError, readPlainBytes } from "../../runtime/plain-file.ts";
import type { Logo } from "../../ui/brand.ts";
import { LogoError, readLogo } from "../../config/logo.ts";

/** Every page loads the logo. */
const MOST_BYTES = 128 * 1024;

/**
 * Returns the asset of `SERVICE_LOGO`; undefined without a file. Throws `ConfigError` for one that `readLogo` refuses.
 */
export function readLogoFile(path: string | undefined): Logo | undefined {
  if (path === undefined) return undefined;
  try {
    return readLogo(readPlainBytes(path, MOST_BYTES).bytes);
  } catch (error) {
    if (!(error instanceof PlainFileError || error instanceof LogoError)) throw error;
    throw new ConfigError([`SERVICE_LOGO cannot be used: ${error.message}`]);
  }
}
