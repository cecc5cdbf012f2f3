import process from "node:process";
import { createInterface } from "node:readline";
import { startGuestAgent } from "../guest-agent.ts";
import type { AgentBehaviour } from "../guest-agent.ts";

// A guest agent as a process: `guest-agent.ts <socket path> [<behaviour as JSON>]`. It prints `ready`, reads a change
// of behaviour as JSON from each input line, prints `changed` for each, and exits at the end of its input.

function readBehaviour(text: string | undefined): Partial<AgentBehaviour> {
  return text === undefined ? {} : JSON.parse(text) as Partial<AgentBehaviour>;
}

const [socketPath, behaviour] = process.argv.slice(2);
const agent = await startGuestAgent(socketPath!, readBehaviour(behaviour));
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  agent.behave(readBehaviour(line));
  process.stdout.write("changed\n");
}
await agent.close();
process.exit(0);
