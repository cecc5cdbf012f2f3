import type { ProblemCode, RefusalError } from "../../lib/error.ts";
import type { RpcAnswer } from "./schema/rpc.ts";
import type { Of } from "./schema/value.ts";

/** What a call is known by in its answer; null where it could not be read. */
export type RpcId = string | number | null;

/** What a call is answered. */
export type RpcAnswerJson = Of<typeof RpcAnswer>;

/** JSON-RPC's numbers for our problems (EIP-1474, EIP-1193); those of bad input are -32602. */
const NUMBERS: Partial<Readonly<Record<ProblemCode, number>>> = {
  authentication_required: 4100,
  insufficient_scope: 4100,
  not_found: 4100,
  key_archived: 4100,
  policy_denied: 4100,
  blind_signing_denied: 4100,
  looks_like_transaction: 4100,
  rate_limited: -32005,
  internal_error: -32603,
  unavailable: -32603,
  log_cut: -32603,
};
const INVALID_PARAMS = -32602;

/** The answer of a call that was carried out. */
export function rpcResult(id: RpcId, result: unknown): RpcAnswerJson {
  return { jsonrpc: "2.0", id, result };
}

/** The answer of a call that JSON-RPC itself refuses. */
export function rpcFault(id: RpcId, code: number, message: string): RpcAnswerJson {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** The answer of a call that was refused as the API refuses it: the problem's code stands in `data`. */
export function rpcRefusal(id: RpcId, refusal: RefusalError, requestId: string): RpcAnswerJson {
  const { problem, errors, members, message } = refusal;
  const data = { code: problem, requestId, ...members, ...(errors === undefined ? {} : { errors }) };
  return { jsonrpc: "2.0", id, error: { code: NUMBERS[problem] ?? INVALID_PARAMS, message, data } };
}
