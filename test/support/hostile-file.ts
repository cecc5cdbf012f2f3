import { DatabaseSync } from "node:sqlite";

// The edits of an attacker who has the database file. SQLite's defensive mode is off.

/** Runs statements on a database file that no connection has open. */
export function editFile(path: string, ...statements: readonly string[]): void {
  const raw = new DatabaseSync(path, { defensive: false, enableForeignKeyConstraints: false });
  try {
    for (const statement of statements) raw.exec(statement);
  } finally {
    raw.close();
  }
}

export function editSchema(path: string, ...statements: readonly string[]): void {
  editFile(path, "pragma writable_schema = on", ...statements);
}

/** Edits the audit log as if it had no triggers, and restores them. */
export function editAudit(path: string, ...statements: readonly string[]): void {
  const raw = new DatabaseSync(path, { readOnly: true });
  const triggers = raw.prepare("select name, sql from sqlite_master where type = 'trigger'").all();
  raw.close();
  const drops = triggers.map(({ name }) => `drop trigger ${name}`);
  editFile(path, ...drops, ...statements, ...triggers.map(({ sql }) => String(sql)));
}

interface SchemaRow {
  readonly type: string;
  readonly tbl_name: string;
  readonly rootpage: number;
  readonly sql: string;
}

/** Runs statements without updating an index: its entries stay, whatever becomes of the rows. */
export function editBehindIndex(path: string, name: string, ...statements: readonly string[]): void {
  const raw = new DatabaseSync(path, { readOnly: true });
  const { type, tbl_name, rootpage, sql } = raw.prepare(
    "select type, tbl_name, rootpage, sql from sqlite_master where name = ?",
  ).get(name) as unknown as SchemaRow;
  raw.close();
  editSchema(path, `delete from sqlite_master where name = '${name}'`);
  editFile(path, ...statements);
  const values = `'${type}', '${name}', '${tbl_name}', ${rootpage}, '${sql.replaceAll("'", "''")}'`;
  editSchema(path, `insert into sqlite_master (type, name, tbl_name, rootpage, sql) values (${values})`);
}

/** Runs statements while a table accepts values of any type, and null. */
export function editBehindTypes(path: string, table: string, ...statements: readonly string[]): void {
  const raw = new DatabaseSync(path, { readOnly: true });
  const { sql } = raw.prepare("select sql from sqlite_master where name = ?").get(table) as { sql: string };
  raw.close();
  const setSql = (text: string): void =>
    editSchema(
      path,
      `update sqlite_master set sql = '${text.replaceAll("'", "''")}' where name = '${table}'`,
    );
  setSql(
    sql.replace(/\) strict$/, ")").replaceAll(/ (?:integer|text|blob)\b(?! primary key)(?: not null)?/g, ""),
  );
  editFile(path, ...statements);
  setSql(sql);
}

/** Makes an index look far smaller than its table, so that SQLite reads it for every query that it covers. */
export function preferIndex(path: string, table: string, index: string): void {
  editFile(
    path,
    "analyze",
    "delete from sqlite_stat1",
    `insert into sqlite_stat1 (tbl, idx, stat) values ('${table}', '${index}', '1000000 1 sz=1')`,
  );
}
