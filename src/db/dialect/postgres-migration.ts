/**
 * Translates a migration statement to PostgreSQL. Migrations are written once, in the SQL of a strict SQLite table.
 * Translates all that differs: `text`, `integer` and `blob`; `strict` and `without rowid`; `json_extract(COLUMN,
 * '$.MEMBER')` of a number; and a trigger that refuses. Texts compare by their bytes, as in SQLite. Throws `TypeError`
 * for a statement that it cannot translate.
 */
export function toPostgres(statement: string, schema: string): readonly string[] {
  const trigger = REFUSING_TRIGGER.exec(statement);
  if (trigger !== null) return refusingTrigger(trigger.groups as unknown as RefusingTrigger, schema);
  if (/\b(?:trigger|autoincrement|rowid\b(?!\s*$)|pragma|real)\b/i.test(statement)) {
    throw new TypeError("Cannot migrate database: PostgreSQL has no equivalent for a statement");
  }
  const json = statement.replace(
    JSON_NUMBER,
    (_, column, member) => `((${column}::jsonb ->> '${member}')::bigint)`,
  );
  // String literals stay unchanged.
  const translated = json.replace(
    /'[^']*'|[^']+/g,
    (part) => part.startsWith("'") ? part : replaceKeywords(part),
  );
  return [translated];
}

const JSON_NUMBER = /\bjson_extract\((\w+), '\$\.(\w+)'\)/g;

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\binteger\b/g, "bigint"],
  [/\bblob\b/g, "bytea"],
  [/\btext\b/g, 'text collate "C"'],
  [/\)\s*strict(?:,\s*without rowid)?\s*$/, ")"],
];

function replaceKeywords(part: string): string {
  return TYPES.reduce((text, [word, other]) => text.replace(word, other), part);
}

interface RefusingTrigger {
  readonly name: string;
  readonly event: string;
  readonly table: string;
  readonly message: string;
}

const REFUSING_TRIGGER = new RegExp(
  String.raw`^\s*create trigger (?<name>\w+) before (?<event>update|delete|insert) on (?<table>\w+)\s+` +
    String.raw`begin select raise\(abort, '(?<message>[\w -]+)'\); end\s*$`,
);

function refusingTrigger(
  { name, event, table, message }: RefusingTrigger,
  schema: string,
): readonly string[] {
  return [
    `create function ${schema}.${name}() returns trigger language plpgsql set search_path to pg_catalog
      as $$begin raise exception '${message}'; end$$`,
    `create trigger ${name} before ${event} on ${table} for each row execute function ${schema}.${name}()`,
  ];
}

/** A drop or creation of a table that others may refer to. */
export interface TableChange {
  readonly kind: "dropped" | "made";
  readonly table: string;
}

/**
 * Returns the table that a statement drops or creates, or undefined. A migration may replace a table while rows refer
 * to it. PostgreSQL needs the references to it to be created again.
 */
export function tableChangeOf(statement: string): TableChange | undefined {
  const dropped = /^\s*drop table (\w+)\s*$/.exec(statement)?.[1];
  if (dropped !== undefined) return { kind: "dropped", table: dropped };
  const made = /^\s*create table (\w+)/.exec(statement)?.[1] ??
    /^\s*alter table \w+ rename to (\w+)\s*$/.exec(statement)?.[1];
  return made === undefined ? undefined : { kind: "made", table: made };
}
