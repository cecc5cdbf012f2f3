import { PostgresAddressError, readPostgresAddress, showAddress } from "../lib/postgres-address.ts";
import type { PostgresAddress } from "../lib/postgres-address.ts";

/** Where the database is. */
interface DatabasePlace {
  readonly databasePath: string;
  readonly postgres: PostgresAddress | undefined;
}

const FORMS = "DATABASE_URL must be sqlite:<path>, sqlite::memory: or postgres://user@host/database";

/**
 * Where `DATABASE_URL` says that the database is; unset a file in the data folder. Of PostgreSQL the password may be in
 * the URL, `PGPASSWORD` or the file of `PGPASSFILE`. Adds a fault that echoes nothing of what stands there.
 */
export function readDatabase(
  { url, dataDir }: { readonly url: string; readonly dataDir: string },
  environment: Readonly<Record<string, string | undefined>>,
  faults: string[],
): DatabasePlace {
  const file = (databasePath: string): DatabasePlace => ({ databasePath, postgres: undefined });
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
