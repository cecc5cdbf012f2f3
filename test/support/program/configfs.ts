import process from "node:process";
import { createInterface } from "node:readline";
import { watchFolder } from "../configfs.ts";
import type { FolderBehaviour } from "../configfs.ts";

// A configfs-tsm as a process: `configfs.ts <folder> [<behaviour as JSON>]`. It prints `ready`, reads a change of
// behaviour as JSON from each input line, prints `changed` for each, and exits at the end of its input.

function readBehaviour(text: string | undefined): Partial<FolderBehaviour> {
  return text === undefined ? {} : JSON.parse(text) as Partial<FolderBehaviour>;
}

const [folder, behaviour] = process.argv.slice(2);
const watched = watchFolder(folder!, readBehaviour(behaviour));
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  watched.behave(readBehaviour(line));
  process.stdout.write("changed\n");
}
watched.close();
process.exit(0);
