import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { DENO_DIR } from "./service.ts";
import { findFreePort } from "./free-port.ts";
import { temporaryFolder } from "./temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TOOLS = join(ROOT, "node_modules/.bin");
/** Milliseconds after which an awaited line counts as missing. */
const LIMIT = 30_000;

/** The pages of docs/how-to/ that make the guide, in the order in which they are read. */
const PAGES = [
  "register-a-client",
  "sign-in-on-a-server",
  "sign-in-with-auth-js",
  "sign-in-in-a-browser",
  "sign-in-natively",
  "sign-in-flow",
  "tokens-and-logout",
];

export const GUIDE = PAGES.map((page) => readFileSync(join(ROOT, `docs/how-to/${page}.md`), "utf8")).join(
  "\n",
);

/**
 * Returns every program and page of the guide, by the name in its first or second line. A block of settings has none.
 */
export function guideBlocks(): readonly (readonly [name: string | undefined, text: string])[] {
  const blocks = GUIDE.matchAll(/^```(?:js|sh|html)\n(.*?)^```$/gms);
  return [...blocks].map(([, text]) => {
    const head = text!.split("\n", 2).join("\n");
    return [/^(?:\/\/|#|<!--) ([\w-]+\.(?:mjs|sh|html))(?: -->)?$/m.exec(head)?.[1], text!];
  });
}

export function guideBlock(name: string): string {
  const block = guideBlocks().find(([found]) => found === name);
  assert.ok(block !== undefined, `${name} stands in the guide`);
  return block[1];
}

/** Returns every line that the guide asks the reader to paste. */
export function guideCommands(): readonly string[] {
  return guideBlocks().flatMap(([name, text]) => name === undefined ? text.trim().split("\n") : []);
}

/** Returns the registration that the guide makes before it runs a program, for an application at this URL. */
export function guideRegistration(program: string, appUrl: string): object {
  const before = guideCommands().slice(0, guideCommands().findIndex((line) => line.endsWith(` ${program}`)));
  const [, arguments_] = /^eval "\$\(sh register\.sh (.*)\)"$/.exec(
    before.findLast((line) => line.startsWith("eval "))!,
  )!;
  const [type, ...redirectUris] = arguments_!.replaceAll('"', "").replaceAll("$APP_URL", appUrl).split(" ");
  return { type, redirectUris, uri: `${appUrl}/`, postLogoutRedirectUris: [`${appUrl}/`] };
}

export interface GuideProgram extends AsyncDisposable {
  readonly lines: readonly string[];
  /** Waits for the first line that matches. Rejects when the program ends without it. */
  line(pattern: RegExp): Promise<string>;
  write(text: string): void;
  readonly exited: Promise<number | null>;
}

export type Variables = Readonly<Record<string, string>>;

/** Returns how to run each kind of file as the guide says, on the runtime of the test. */
function commandFor(name: string): readonly string[] {
  if (name.endsWith(".sh")) return ["sh", name];
  return process.versions["bun"] === undefined
    ? [join(TOOLS, "deno"), "run", "-A", "--no-check", "--node-modules-dir=manual", name]
    : [join(TOOLS, "bun"), name];
}

interface GuideOptions {
  readonly files?: Variables;
  readonly args?: readonly string[];
}

/** Runs a block of the guide unchanged. */
export function runGuide(name: string, env: Variables, options: GuideOptions = {}): GuideProgram {
  return runProgram(name, guideBlock(name), env, options);
}

/** Runs a program unchanged: in its own file, next to installed libraries, with these variables. */
export function runProgram(
  name: string,
  text: string,
  env: Variables,
  { files: others = {}, args: more = [] }: GuideOptions = {},
): GuideProgram {
  const folder = temporaryFolder();
  symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
  writeFileSync(join(folder.path, "package.json"), readFileSync(join(ROOT, "package.json")));
  for (const [file, content] of Object.entries({ ...others, [name]: text })) {
    writeFileSync(join(folder.path, file), content);
  }
  const [command, ...args] = commandFor(name);
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(command!, [...args, ...more], {
    cwd: folder.path,
    env: { PATH, HOME, DENO_DIR, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1", ...env },
  });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const listener of listeners) listener();
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    lines,
    line: async (pattern) => {
      const found = new Promise<string>((resolve) => {
        const look = (): void => {
          const line = lines.find((line) => pattern.test(line));
          if (line !== undefined) resolve(line);
        };
        listeners.add(look);
        look();
      });
      const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT);
      const line = await Promise.race([found, exited.then(() => undefined)]);
      clearTimeout(limit);
      assert.ok(line !== undefined, `${name} ended without ${pattern}:\n${lines.join("\n")}`);
      return line;
    },
    write: (text) => void child.stdin.write(text),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
      folder[Symbol.dispose]();
    },
  };
}

/** Returns an unused URL for an application. */
export async function newAppUrl(): Promise<string> {
  return `http://localhost:${await findFreePort()}`;
}
