/**
 * Measures if the time of a response reveals that an address has an account: `bun bench/enumeration.ts`, with `bun` or
 * `deno` as argument for one runtime. Known and unknown addresses alternate in pairs of random order, so that other
 * load affects both. Not part of the gate: a busy machine may show a difference that is not real. A difference counts
 * if it persists above a millisecond, with p below 0.01 each time.
 */
import process from "node:process";
import { createClient, signUp } from "../test/support/client.ts";
import type { Client } from "../test/support/client.ts";
import { temporaryFolder } from "../test/support/temporary.ts";
import { mannWhitney } from "./mann-whitney.ts";
import { figure, percentile, showTable } from "./statistics.ts";
import { startTarget } from "./target.ts";

const PAIRS = 2000;
const WARM_UP = 200;
const KNOWN = "known@example.com";
/** An address as long as the known one, so that both requests have the same length. */
const UNKNOWN = "other@example.com";

interface Question {
  readonly name: string;
  readonly path: string;
  readonly body: (email: string) => object;
  readonly status: number;
}

const QUESTIONS: readonly Question[] = [
  {
    name: "ask for a code",
    path: "/api/auth/email-code",
    body: (email) => ({ email }),
    status: 200,
  },
  {
    name: "try a wrong code",
    path: "/api/auth/email-code/verify",
    body: (email) => ({ email, code: "000000" }),
    status: 400,
  },
];

async function timeOf(client: Client, { path, body, status }: Question, email: string): Promise<number> {
  const sentAt = performance.now();
  const answer = await client.post(path, body(email));
  const took = (performance.now() - sentAt) * 1000;
  if (answer.status !== status) throw new Error(`Cannot measure: ${answer.status} ${answer.text}`);
  return took;
}

async function measure(
  clients: Readonly<Record<string, Client>>,
  question: Question,
): Promise<readonly string[]> {
  const times: Record<string, number[]> = { [KNOWN]: [], [UNKNOWN]: [] };
  for (let pair = -WARM_UP; pair < PAIRS; pair++) {
    const order = Math.random() < 0.5 ? [KNOWN, UNKNOWN] : [UNKNOWN, KNOWN];
    for (const email of order) {
      const took = await timeOf(clients[email]!, question, email);
      if (pair >= 0) times[email]!.push(took);
    }
  }
  const [known, unknown] = [KNOWN, UNKNOWN].map((email) => times[email]!.sort((a, b) => a - b));
  const medians = [known!, unknown!].map((sorted) => percentile(sorted, 0.5));
  const p = mannWhitney(known!, unknown!);
  return [
    figure(medians[0]!),
    figure(medians[1]!),
    figure(Math.abs(medians[0]! - medians[1]!)),
    p.toFixed(3),
  ];
}

const runtimes = (["bun", "deno"] as const).filter((name) =>
  process.argv[2] === undefined || process.argv[2] === name
);
const rows: string[][] = [["runtime", "question", "known, µs", "unknown, µs", "difference, µs", "p"]];
for (const runtime of runtimes) {
  using folder = temporaryFolder();
  await using closing = new AsyncDisposableStack();
  const target = await startTarget(runtime, folder.path);
  closing.use(target.service);
  const newClient = (): Client => createClient(target.service.baseUrl, (request) => fetch(request));
  await signUp(newClient(), KNOWN);
  const clients = { [KNOWN]: newClient(), [UNKNOWN]: newClient() };
  for (const question of QUESTIONS) rows.push([runtime, question.name, ...await measure(clients, question)]);
}
process.stdout.write(showTable(rows) + "\n");
