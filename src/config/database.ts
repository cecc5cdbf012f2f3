import { PostgresAddressError, readPostgresAddress, showAddress } from "../lib/postgres-address.ts";
import type { PostgresAddress } from "../lib/postgres-address.ts";

interface DatabaseLocation {
  readonly databasePath: string;
  readonly postgres: PostgresAddress | undefined;
}

const FORMS = "DATABASE_URL must be sqlite:<path>, sqlite::memory: or postgres://user@host/database";

/**
 * Reads `DATABASE_URL`; unset = a file in the data folder. A PostgreSQL password may be in the URL, `PGPASSWORD` or
 * the file of `PGPASSFILE`. A fault never echoes the value.
 */
export function readDatabase(
  { url, dataDir }: { readonly url: string; readonly dataDir: string },
  environment: Readonly<Record<string, string | undefined>>,
  faults: string[],
): DatabaseLocation {
  const file = (databasePath: string): DatabaseLocation => ({ databasePath, postgres: undefined });
  if (url === "") return file(`${dataDir}/holdfast.db`);
  if (url.startsWith("sqlite:") && url.length > "sqlite:".length) return file(url.slice("sqlite:".length));
  if (!/^postgres(?:ql)?:\/\//.test(url)) {
    faults.push(FORMS);
    return file("");
  }
  try {
    const secrets = {
      password: environment["PGPASSWORD"],
      passwordFile: environment["PGPASSFILE"] || undefined,
    };
    const postgres = readPostgresAddress(url, secrets);
    return { databasePath: showAddress(postgres), postgres };
  } catch (error) {
    if (!(error instanceof PostgresAddressError)) throw error;
    faults.push(`DATABASE_URL ${error.message}`);
    return file("");
  }
}
