import { sql } from "kysely";

/** The seed moves into a slot without a MAC or a source, which only the seed's holder can add: the next start. */
export const SEAL_SLOTS = [
  sql`create table seal_slot (
    id text primary key,
    source text not null,
    api text,
    seal_key_id text not null,
    version integer not null,
    sealed blob not null,
    threshold integer,
    shares integer,
    share_hashes blob,
    created_at integer not null,
    opened_at integer,
    mac blob not null
  ) strict`,
  sql`create table seal_set (
    id text primary key,
    version integer not null,
    slots text not null,
    mac blob not null
  ) strict`,
  sql`insert into seal_slot (id, source, seal_key_id, version, sealed, created_at, mac)
    select 'slot_first', '', seal_key_id, version, sealed, created_at, cast('' as blob) from sealed_seed`,
  sql`drop table sealed_seed`,
  sql`create index audit_event_seal_slot on audit_event (seq)
    where event in ('seal_slot_added', 'seal_slot_removed')`,
];
