export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

/**
 * Fills the place of each table, between `<!-- generated: NAME -->` and `<!-- end -->`. The formatter does not change
 * such a place, so that a changed row is one line of a diff. Throws RangeError for a table that has no place or two,
 * and for a place without a table.
 */
export function fillMarkers(text: string, tables: Readonly<Record<string, string>>): string {
  const filled: string[] = [];
  const result = text.replace(/^<!-- generated: (.+) -->$[^]*?^<!-- end -->$/gm, (_, name: string) => {
    const lines = tables[name];
    if (lines === undefined) throw new RangeError(`Cannot fill "${name}": there is no such table`);
    filled.push(name);
    return [
      `<!-- generated: ${name} -->`,
      "<!-- deno-fmt-ignore-start -->",
      "",
      lines,
      "",
      "<!-- deno-fmt-ignore-end -->",
      "<!-- end -->",
    ].join("\n");
  });
  for (const name of Object.keys(tables)) {
    const places = filled.filter((other) => other === name).length;
    if (places !== 1) throw new RangeError(`Cannot fill "${name}": the text has ${places} places for it`);
  }
  return result;
}
