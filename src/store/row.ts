/** A row as the database gives it. */
export type RawRow = Readonly<Record<string, unknown>>;
