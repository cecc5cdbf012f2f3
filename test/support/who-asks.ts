const SOURCES = new URL("../../src/", import.meta.url).pathname;
/** What a statement comes through, whoever says it. */
const BETWEEN = [
  "/node_modules/",
  `${SOURCES}db/port.ts`,
  ...["who-asks.ts", "postgres.ts"].map((name) => new URL(name, import.meta.url).pathname),
];

/** Whether it is the service that says what is just said to a database, and not a test, by who called. */
export function isOfService(stack: string = new Error().stack ?? ""): boolean {
  const frames = stack.split("\n").filter((line) => line.includes(".ts:"));
  const first = frames.find((line) => BETWEEN.every((path) => !line.includes(path)));
  return first?.includes(SOURCES) === true;
}
