import type { Db } from "../db/schema/schema.ts";
import { sameValue } from "../lib/object.ts";
import type { Instant } from "../lib/time.ts";
import { createStateTags } from "../store/state/state-tags.ts";
import { SERVICE } from "../store/state/kinds.ts";
import { listUnnamedStates } from "../store/state/unnamed-states.ts";
import type { Vault } from "../vault/vault.ts";
import type { Recorded } from "./append.ts";
import { readRows } from "./chain.ts";
import { noteState } from "./follow-states.ts";
import { type StoredEntry, verifiedEntry } from "./stored-entry.ts";
import { verifyAudit } from "./verify.ts";

const PAGE = 1000;

type OnEntry = (entry: StoredEntry) => void;

/**
 * Returns an entry for each owner whose newest state the sound part of the log does not name. The owner sees it. It
 * names the stored state if no authentic entry names that one before another, so that its rows add up afterwards.
 * Otherwise it names the newest state of an authentic entry in the broken part, so that an older one is refused. Does
 * not compare the rows with the state. An entry that was deleted from the broken part is not taken into account.
 */
export async function statesToAccept(
  tx: Db,
  vault: Vault,
  { brokenAt, at }: { readonly brokenAt: number | null; readonly at: Instant },
): Promise<readonly Recorded[]> {
  const tags = createStateTags();
  const inBrokenPart = new Map<string, Uint8Array>();
  await readSound(tx, vault, (entry) => noteState(tags, entry));
  await readBroken(tx, vault, brokenAt, (entry) => {
    noteState(tags, entry);
    if (entry.state !== null) inBrokenPart.set(ownerIn(entry), entry.state);
  });
  const stored = await listUnnamedStates(tx, vault, tags);
  const accepted = new Map(stored.map(({ owner, tag }) => [owner, tag]));
  const dropOlder: OnEntry = (entry) => {
    const owner = ownerIn(entry);
    if (entry.state !== null && sameValue(accepted.get(owner), entry.state)) accepted.delete(owner);
  };
  if (accepted.size > 0) {
    await readSound(tx, vault, dropOlder);
    await readBroken(tx, vault, brokenAt, dropOlder);
  }
  return [...new Map([...inBrokenPart, ...accepted])].map(([owner, state]) => {
    const accountId = owner === SERVICE ? null : owner;
    return { at, event: { event: "state_accepted", accountId, subject: null, detail: {} }, state };
  });
}

function ownerIn({ account_id: accountId }: StoredEntry): string {
  return accountId ?? SERVICE;
}

async function readSound(tx: Db, vault: Vault, onEntry: OnEntry): Promise<void> {
  await verifyAudit(tx, vault, { onEntry: (_head, entry) => onEntry(entry) });
}

/** Reads the entries of the broken part that the service wrote after the stored previous one. */
async function readBroken(
  tx: Db,
  vault: Vault,
  brokenAt: number | null,
  onEntry: OnEntry,
): Promise<void> {
  if (brokenAt === null) return;
  let previous: StoredEntry | undefined;
  for (let after = brokenAt - 1;;) {
    const rows = await readRows(tx, after, PAGE);
    for (const row of rows) {
      const follows = previous !== undefined && Number(row.seq) === Number(previous.seq) + 1;
      const entry = verifiedEntry(vault, { ...row, previous_hash: follows ? previous!.hash : null });
      if (entry !== undefined) onEntry(entry);
      previous = row;
    }
    after = Number(rows.at(-1)?.seq);
    // No entry of ours has a number beyond the safe integers.
    if (rows.length < PAGE || !Number.isSafeInteger(after)) return;
  }
}
