import { hasRole, movesAssets } from "./directory.ts";
import { localizable } from "./format-message.ts";
import type { IntentWarning } from "./intent.ts";
import type { NotUnderstood } from "./messages.en.ts";
import { holderOf, type IntentContext, partyAt, warning } from "./parties.ts";

/**
 * Creates the warning about something that no standard and no descriptor describes. Red for hashes, and where the
 * contract moves assets by a signature or a command, is a token, or is the account itself. Red for the operations of
 * accounts too.
 */
export function notUnderstood(
  context: IntentContext,
  chainId: string | null,
  contract: string | null,
  what: NotUnderstood,
  caller: string = holderOf(context),
): IntentWarning {
  const { signer, directory } = context;
  const isRed = ["hash", "rest", "standard"].includes(what) || contract === signer || contract === caller ||
    hasRole(directory, chainId, caller, "entry_point") ||
    (contract !== null && movesAssets(directory, chainId, contract));
  const party = contract === null ? undefined : partyAt(context, chainId, contract);
  return warning(
    "not_understood",
    localizable("notUnderstood", { what, contract: party }),
    isRed ? "red" : "amber",
  );
}
