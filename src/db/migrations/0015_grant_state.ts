import { sql } from "kysely";
import type { Kysely } from "kysely";

// Grants from before lack what their MACs now cover, and no migration can make a MAC: applications sign their people in
// once more. Codes go with their grants; nothing cascades in a migration.
const STATEMENTS = [
  sql`delete from authorization_code`,
  sql`drop table authorization_grant`,
  sql`create table authorization_grant (
    id text primary key,
    account_id text not null references account (id) on delete cascade,
    client_id text not null references client (id) on delete cascade,
    scope text not null,
    state text not null check (state in ('waiting', 'in_use')),
    authenticated_at integer not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index authorization_grant_account_id
    on authorization_grant (account_id, client_id, state, expires_at desc, id)`,
  sql`create index authorization_grant_client_id on authorization_grant (client_id)`,
  sql`create index authorization_grant_expires_at on authorization_grant (expires_at)`,
];

/** Whether a grant's code was redeemed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
