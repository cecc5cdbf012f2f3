import type { BunDatabase } from "./bun.ts";

/** The JSON that oidc-provider stores, with the members it looks up. */
interface Payload extends Readonly<Record<string, unknown>> {
  readonly grantId?: string;
  readonly uid?: string;
  readonly userCode?: string;
}

/** oidc-provider's interface for storage. It creates one for each of its models. */
interface Adapter {
  upsert(id: string, payload: Payload, expiresIn?: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  findByUserCode(userCode: string): Promise<Payload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

const SCHEMA = `
create table if not exists model (
  kind text not null,
  id text not null,
  payload text not null,
  grant_id text,
  uid text,
  user_code text,
  expires_at integer,
  consumed_at integer,
  primary key (kind, id)
) strict, without rowid;
create index if not exists model_grant_id on model (grant_id) where grant_id is not null;
create index if not exists model_uid on model (kind, uid) where uid is not null;
create index if not exists model_user_code on model (kind, user_code) where user_code is not null;
`;

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/**
 * Creates storage for oidc-provider in one table. Each statement is prepared once and committed by itself, because the
 * interface has no transactions.
 */
export function createAdapters(database: BunDatabase): (kind: string) => Adapter {
  database.exec(SCHEMA);
  const upsert = database.prepare(
    "insert into model (kind, id, payload, grant_id, uid, user_code, expires_at) values (?, ?, ?, ?, ?, ?, ?)" +
      " on conflict (kind, id) do update set payload = excluded.payload, grant_id = excluded.grant_id," +
      " uid = excluded.uid, user_code = excluded.user_code, expires_at = excluded.expires_at",
  );
  const selectBy = (column: string) =>
    database.prepare(`select payload, expires_at, consumed_at from model where kind = ? and ${column} = ?`);
  const byId = selectBy("id");
  const byUid = selectBy("uid");
  const byUserCode = selectBy("user_code");
  const consume = database.prepare("update model set consumed_at = ? where kind = ? and id = ?");
  const destroy = database.prepare("delete from model where kind = ? and id = ?");
  const revoke = database.prepare("delete from model where grant_id = ?");

  function read(statement: typeof byId, kind: string, key: string): Payload | undefined {
    const row = statement.get(kind, key) as
      | { payload: string; expires_at: number | null; consumed_at: number | null }
      | null;
    if (row === null || (row.expires_at !== null && row.expires_at <= epochSeconds())) return undefined;
    const payload = JSON.parse(row.payload) as Payload;
    return row.consumed_at === null ? payload : { ...payload, consumed: row.consumed_at };
  }

  return (kind) => ({
    upsert(id, payload, expiresIn) {
      const { grantId = null, uid = null, userCode = null } = payload;
      const expiresAt = expiresIn === undefined ? null : epochSeconds() + expiresIn;
      upsert.run(kind, id, JSON.stringify(payload), grantId, uid, userCode, expiresAt);
      return Promise.resolve();
    },
    find: (id) => Promise.resolve(read(byId, kind, id)),
    findByUid: (uid) => Promise.resolve(read(byUid, kind, uid)),
    findByUserCode: (userCode) => Promise.resolve(read(byUserCode, kind, userCode)),
    consume(id) {
      consume.run(epochSeconds(), kind, id);
      return Promise.resolve();
    },
    destroy(id) {
      destroy.run(kind, id);
      return Promise.resolve();
    },
    revokeByGrantId(grantId) {
      revoke.run(grantId);
      return Promise.resolve();
    },
  });
}
