const SOURCES = new URL("../../src/", import.meta.url).pathname;
/** Parts of paths between a statement and its caller. */
const BETWEEN = [
  "/node_modules/",
  `${SOURCES}db/port.ts`,
  ...["caller.ts", "lent-postgres.ts"].map((name) => new URL(name, import.meta.url).pathname),
];

/** Returns true if the service, not a test, called the database, judged by the stack. */
export function isOfService(stack: string = new Error().stack ?? ""): boolean {
  const frames = stack.split("\n").filter((line) => line.includes(".ts:"));
  const first = frames.find((line) => BETWEEN.every((path) => !line.includes(path)));
  return first?.includes(SOURCES) === true;
}
