import process from "node:process";

// Runs a command-line program several times in one process. Arguments: its path, and a JSON array with the arguments of
// each run. A run lasts until the program exits.

const [program, runs] = process.argv.slice(2);
for (const [number, args] of (JSON.parse(runs!) as string[][]).entries()) {
  process.argv = [process.argv[0]!, process.argv[1]!, ...args];
  const { promise, resolve } = Promise.withResolvers<void>();
  process.exit = resolve as typeof process.exit;
  await import(`${program}?${number}`);
  await promise;
}
