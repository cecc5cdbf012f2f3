/**
 * Translates an operator's edit from SQLite's SQL to PostgreSQL's: triggers and byte literals. Other differences need
 * a test of their own.
 */
export function asPostgres(statement: string): readonly string[] {
  const words = statement.replace(/\bx'([0-9a-f]*)'/gi, (_, hex) => `'\\x${hex}'::bytea`)
    .replaceAll("abs(random() % 2)", "floor(random() * 2)");
  const trigger = TRIGGER.exec(words)?.groups;
  if (trigger !== undefined) return triggerOf(trigger as unknown as Trigger);
  const dropped = DROPPED.exec(words)?.groups?.["name"];
  return dropped === undefined ? [words] : [dropTrigger(dropped)];
}

const DROPPED = /^\s*drop trigger (?:if exists )?"?(?<name>\w+)"?\s*$/;

interface Trigger {
  readonly name: string;
  readonly when: "before" | "after" | "instead of";
  readonly event: string;
  readonly table: string;
  readonly condition: string | undefined;
  readonly body: string;
}

const TRIGGER = new RegExp(
  String
    .raw`^\s*create trigger (?<name>\w+)\s+(?<when>before|after|instead of)\s+(?<event>insert|update|delete)\s+` +
    String.raw`on (?<table>\w+)\s+(?:when (?<condition>.+?)\s+)?begin(?<body>.*)end\s*$`,
  "s",
);

function triggerOf({ name, when, event, table, condition, body }: Trigger): readonly string[] {
  const steps = body.replace(/select raise\(ignore\);/g, "return null;")
    .replace(/select raise\(abort, ('[^']*')\);/g, "raise exception $1;").replace(/\bselect 1;/g, "");
  const last = when === "before" ? `return ${event === "delete" ? "old" : "new"};` : "return null;";
  const only = condition === undefined ? "" : `when (${condition})`;
  return [
    `create or replace function holdfast.${name}() returns trigger language plpgsql
      set search_path to holdfast as $body$ begin ${steps} ${last} end $body$`,
    `create trigger ${name} ${when} ${event} on holdfast.${table} for each row ${only} execute function holdfast.${name}()`,
  ];
}

/** Drops a trigger by its name. PostgreSQL needs the name of its table too. */
function dropTrigger(name: string): string {
  return `do $body$ declare one regclass; begin
    for one in select tgrelid::regclass from pg_trigger where tgname = '${name}' loop
      execute format('drop trigger ${name} on %s', one);
    end loop;
  end $body$`;
}
