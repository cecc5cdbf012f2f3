import type { GroupCommit } from "../db/group-commit.ts";
import { type CooperativeTask, runCooperatively, yieldToEventLoop } from "../lib/cooperative.ts";
import { memoizePerObject } from "../lib/memoize.ts";
import { createKeyedMutex } from "../lib/mutex.ts";
import type { Work } from "./work.ts";

/** The queue of each account, in which its long work waits. */
const mutexOf = memoizePerObject<GroupCommit, ReturnType<typeof createKeyedMutex>>(() => createKeyedMutex());

/**
 * Runs a task of an account, and adds its further parts to `work`. A long task yields between them, one of an account
 * at a time. An account that sends many long requests delays only itself.
 */
export async function runInAccountQueue<T>(
  groupCommit: GroupCommit,
  accountId: string,
  task: CooperativeTask<T>,
  work: Work = { parts: 0 },
): Promise<T> {
  let release: (() => void) | undefined;
  try {
    return await runCooperatively(task, async () => {
      work.parts++;
      release ??= await mutexOf(groupCommit)(accountId);
      await yieldToEventLoop();
    });
  } finally {
    release?.();
  }
}
