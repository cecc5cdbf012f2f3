import type { KeyUser } from "../../http/guard/key-requester.ts";
import { fromBase64url, toBase64url, utf8 } from "../../lib/bytes.ts";
import { sha256 } from "../../lib/sha256.ts";
import { holderOf } from "../../keys/requester.ts";
import { SealError } from "../../vault/error.ts";
import type { Vault } from "../../vault/vault.ts";
import type { ToolArguments } from "./call-tool.ts";

/** A tool call. Its state opens for the same grant, tool and arguments alone. */
export interface BoundCall {
  readonly user: KeyUser;
  readonly tool: string;
  readonly given: ToolArguments;
}

/** Writes JSON with sorted members, so that the order in which a client sends them does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([name, each]) => [name, sorted(each)]),
  );
}

function factsOf({ user, tool, given }: BoundCall): readonly Uint8Array[] {
  const digest = sha256(utf8(JSON.stringify(sorted(given))));
  return [utf8(holderOf(user.requester) ?? ""), utf8(tool), digest];
}

/** Returns the `requestState` of a call: the id of its signing request, encrypted. */
export function sealRequestState(vault: Pick<Vault, "seal">, call: BoundCall, requestId: string): string {
  return toBase64url(vault.seal("mcp-request-state", factsOf(call), utf8(requestId)));
}

/** Returns the id in a `requestState` of this call; undefined for any other text. */
export function openRequestState(
  vault: Pick<Vault, "open">,
  call: BoundCall,
  state: string,
): string | undefined {
  const sealed = fromBase64url(state);
  if (sealed === undefined) return undefined;
  try {
    return new TextDecoder().decode(vault.open("mcp-request-state", factsOf(call), sealed));
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}
