import type { GroupCommit } from "../db/group-commit.ts";
import { type CooperativeTask, runCooperatively, yieldToEventLoop } from "../lib/cooperative.ts";
import { memoizePerObject } from "../lib/memoize.ts";
import { createKeyedMutex } from "../lib/mutex.ts";

/** The queue of each account, in which its long work waits. */
const mutexOf = memoizePerObject<GroupCommit, ReturnType<typeof createKeyedMutex>>(() => createKeyedMutex());

/**
 * Runs work of an account, and counts its parts. Long work yields between them, one of an account at a time. An account
 * that sends many long requests delays only itself.
 */
export async function runInAccountQueue<T>(
  groupCommit: GroupCommit,
  accountId: string,
  work: CooperativeTask<T>,
): Promise<{ readonly value: T; readonly parts: number }> {
  let release: (() => void) | undefined;
  let parts = 1;
  try {
    const value = await runCooperatively(work, async () => {
      parts++;
      release ??= await mutexOf(groupCommit)(accountId);
      await yieldToEventLoop();
    });
    return { value, parts };
  } finally {
    release?.();
  }
}
