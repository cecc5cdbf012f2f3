/** What spreadsheets take for a formula at the beginning of a field. */
const FORMULA = /^[=+\-@\t\r]/;

/** A field in quotes (RFC 4180 section 2). One that a spreadsheet would run is text to it by an apostrophe. */
function field(text: string): string {
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/** Rows of fields as CSV (RFC 4180), lines ended by CRLF. Nothing in it is run by a spreadsheet. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(field).join(",")}\r\n`).join("");
}
