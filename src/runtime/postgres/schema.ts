import { CompiledQuery } from "kysely";
import type { Run, SchemaObject, StoredSchema } from "../../db/engine.ts";

/** Queries of the objects of a schema: type, name, table, and a text of all their properties. */
const OBJECTS: readonly string[] = [
  // Tables, and other relations with rows or with a table's name.
  `select case relkind when 'r' then 'table' when 'v' then 'view' when 'S' then 'sequence' when 'f' then 'foreign table'
      when 'm' then 'materialized view' when 'p' then 'partitioned table' when 'c' then 'type' else relkind::text end,
    relname, relname, concat_ws(' ', relkind::text, relrowsecurity, relforcerowsecurity, relispartition, reloftype <> 0,
      nullif(relpersistence = 'u', false),
      (select amname from pg_am where oid = relam),
      exists (select from pg_inherits where inhrelid = pg_class.oid or inhparent = pg_class.oid),
      case when relkind in ('v', 'm') then pg_get_viewdef(oid) end)
    from pg_class where relnamespace = NS and relkind not in ('i', 'I', 't')`,
  `select 'column', relname || '.' || attnum::text, relname, concat_ws(' ', attname, format_type(atttypid, atttypmod),
      atttypid::regtype::oid < 16384, collname,
      nullif(pg_collation.oid >= 16384, false), attnotnull, attidentity::text, attgenerated::text, attisdropped,
      attislocal, attinhcount, attcompression::text, pg_get_expr(adbin, adrelid))
    from pg_attribute join pg_class on pg_class.oid = attrelid
      left join pg_collation on pg_collation.oid = attcollation
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = NS and relkind not in ('i', 'I', 't') and attnum > 0`,
  `select 'constraint', relname || '.' || conname, relname, concat_ws(' ', pg_get_constraintdef(pg_constraint.oid),
      convalidated, condeferrable, condeferred, conislocal)
    from pg_constraint join pg_class on pg_class.oid = conrelid where relnamespace = NS`,
  `select 'index', made.relname, pg_class.relname, concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisready,
      indislive, indisunique, indisprimary, indimmediate)
    from pg_index join pg_class on pg_class.oid = indrelid join pg_class as made on made.oid = indexrelid
    where pg_class.relnamespace = NS`,
  // The name of a trigger for a foreign key contains a number that differs in each database.
  `select 'trigger', relname || '.' || case when tgisinternal
      then (select conname from pg_constraint where oid = tgconstraint) || ' ' || tgtype::text || ' ' || proname
      else tgname end, relname,
      concat_ws(' ', tgenabled::text, tgdeferrable, tginitdeferred,
        case when not tgisinternal then pg_get_triggerdef(pg_trigger.oid) end)
    from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_proc on pg_proc.oid = tgfoid
    where relnamespace = NS`,
  `select 'rule', relname || '.' || rulename, relname, concat_ws(' ', ev_enabled::text, pg_get_ruledef(pg_rewrite.oid))
    from pg_rewrite join pg_class on pg_class.oid = ev_class where relnamespace = NS and relkind <> 'v'`,
  `select 'policy', relname || '.' || polname, relname, concat_ws(' ', polcmd::text, polpermissive,
      pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    from pg_policy join pg_class on pg_class.oid = polrelid where relnamespace = NS`,
  `select 'function', proname || '(' || pg_get_function_identity_arguments(oid) || ')', '',
      case when prokind in ('f', 'p') then pg_get_functiondef(oid) else prokind::text end
    from pg_proc where pronamespace = NS`,
  // Types that are not row types of tables or arrays of these.
  `select 'type', typname, '', typtype::text from pg_type where typnamespace = NS
      and typrelid = 0 and not exists (select from pg_type as of_row where of_row.oid = pg_type.typelem and of_row.typrelid <> 0)`,
];

/** Objects of the whole server, of which an empty database has none. */
const ELSEWHERE: readonly string[] = [
  // Objects in `pg_catalog`, where names resolve, that belong to neither the server nor an extension.
  `select 'function', 'pg_catalog.' || proname || '(' || pg_get_function_identity_arguments(oid) || ')', '', ''
    from pg_proc where oid >= 16384 and pronamespace = 'pg_catalog'::regnamespace
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')`,
  `select 'operator', oprname || ' ' || oprleft::regtype::text || ' ' || oprright::regtype::text, '', ''
    from pg_operator where oid >= 16384 and (oprnamespace = NS or oprnamespace = 'pg_catalog'::regnamespace)
      and not exists (select from pg_depend where classid = 'pg_operator'::regclass and objid = pg_operator.oid and deptype = 'e')`,
  `select 'cast', castsource::regtype::text || ' as ' || casttarget::regtype::text, '', ''
    from pg_cast where oid >= 16384
      and not exists (select from pg_depend where classid = 'pg_cast'::regclass and objid = pg_cast.oid and deptype = 'e')`,
  // Settings that change the effect of every statement of the session.
  `select 'setting', name, '', setting from pg_settings
    where name in ('session_replication_role', 'session_preload_libraries', 'local_preload_libraries')
      and setting not in ('origin', '')`,
];

function numberOf(schema: string): string {
  return schema === "pg_temp" ? "pg_my_temp_schema()" : `to_regnamespace('${schema}')::oid`;
}

function objectsOf(schema: string): string {
  const number = numberOf(schema);
  const all = schema === "pg_temp" ? OBJECTS : [...OBJECTS, ...ELSEWHERE];
  const parts = all.map((part) => `(${part.replaceAll("NS", `(select ${number})`)})`);
  return `select * from (${
    parts.join("\nunion all\n")
  }) as thing (type, name, "table", sql) order by 1, 2, 3`;
}

function ownName(schema: string): RegExp {
  return new RegExp(String.raw`\b${schema === "pg_temp" ? String.raw`pg_temp(?:_\d+)?` : schema}\.`, "g");
}

/** Reads the whole schema and the recorded migrations, in the snapshot of the caller's transaction. */
export async function readPostgresSchema(
  run: Run,
  schema: string,
  migrations: string,
): Promise<StoredSchema> {
  const { rows } = await run<SchemaObject>(CompiledQuery.raw(objectsOf(schema)));
  // Removes the schema's name, so that tables compare equal in any schema.
  const own = ownName(schema);
  const objects = rows.map((row) => ({ ...row, sql: row.sql?.replace(own, "") ?? null }));
  return { objects, migrations: await readPostgresMigrations(run, schema, migrations) };
}

/** Reads the recorded migrations, in the snapshot of the caller's transaction. */
export async function readPostgresMigrations(
  run: Run,
  schema: string,
  migrations: string,
): Promise<readonly string[]> {
  // Another kind of object with that name could return anything.
  const { rows: tables } = await run(
    CompiledQuery.raw(
      `select from pg_class where relnamespace = ${
        numberOf(schema)
      } and relname = '${migrations}' and relkind = 'r'`,
    ),
  );
  if (tables.length === 0) return [];
  const noted = await run<{ name: string }>(
    CompiledQuery.raw(`select name from only ${schema}.${migrations}`),
  );
  return noted.rows.map(({ name }) => name);
}

/** Catalogs that define a schema, and the condition for its rows. */
const CATALOGS: readonly (readonly [catalog: string, condition: string])[] = [
  ["pg_class", "relnamespace = NS and relkind <> 't'"],
  ["pg_attribute", "attrelid in (select oid from pg_class where relnamespace = NS)"],
  ["pg_attrdef", "adrelid in (select oid from pg_class where relnamespace = NS)"],
  ["pg_constraint", "connamespace = NS"],
  ["pg_index", "indrelid in (select oid from pg_class where relnamespace = NS)"],
  ["pg_trigger", "tgrelid in (select oid from pg_class where relnamespace = NS)"],
  ["pg_rewrite", "ev_class in (select oid from pg_class where relnamespace = NS)"],
  ["pg_policy", "polrelid in (select oid from pg_class where relnamespace = NS)"],
  ["pg_proc", "oid >= 16384 and pronamespace in (NS, 'pg_catalog'::regnamespace::oid)"],
  ["pg_operator", "oid >= 16384"],
  ["pg_cast", "oid >= 16384"],
  ["pg_type", "typnamespace = NS"],
];

function markOf(schema: string): string {
  const parts = CATALOGS.map(([catalog, condition]) =>
    `(select concat_ws(' ', count(*), sum(xmin::text::bigint), max(xmin::text::bigint)) from ${catalog}
      where ${condition.replaceAll("NS", `(select to_regnamespace('${schema}')::oid)`)})`
  );
  // A superuser can set `session_replication_role` for new connections, which disables triggers and foreign keys.
  return `select concat_ws('|', current_setting('session_replication_role'), ${parts.join(", ")}) as mark`;
}

/** Returns a text that changes with every schema change by any client. */
export async function readSchemaMark(run: Run, schema: string): Promise<string> {
  const { rows: [row] } = await run<{ mark: string }>(CompiledQuery.raw(markOf(schema)));
  return row!.mark;
}
