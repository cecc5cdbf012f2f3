import * as v from "valibot";
import { Problem } from "../../api/problem.ts";
import { list, type Of } from "../../api/value.ts";
import { type ProblemCode, ProtocolError, RefusalError } from "../../lib/error.ts";
import { asObject } from "../../lib/object.ts";

/** A call (JSON-RPC 2.0 section 4). Without an id it is a notification: not executed, and without a response. */
export interface RpcCall {
  readonly id: RpcId | undefined;
  readonly method: string;
  /** By position. */
  readonly params: readonly unknown[];
}

/** An invalid call. */
export interface InvalidCall {
  readonly id: RpcId;
  readonly fault: RpcFault;
}

/** A refusal by JSON-RPC itself, with its error code. */
export class RpcFault extends RefusalError {
  readonly number: number;

  constructor(number: number, message: string) {
    super(message, { code: "invalid_request", problem: "invalid_request", status: 400 });
    this.number = number;
  }
}

export const BATCH_LIMIT = 50;

const MEMBERS = ["jsonrpc", "id", "method", "params"];

function isId(value: unknown): value is RpcId {
  return value === null || typeof value === "string" || Number.isSafeInteger(value);
}

/** Parses one call. Never throws. */
export function readCall(value: unknown): RpcCall | InvalidCall {
  const call = asObject(value) ?? {};
  const id = isId(call["id"]) ? call["id"] : null;
  const { jsonrpc, method, params = [] } = call;
  const isRead = jsonrpc === "2.0" && typeof method === "string" &&
    (!Object.hasOwn(call, "id") || isId(call["id"])) &&
    Object.keys(call).every((name) => MEMBERS.includes(name));
  if (!isRead) return { id, fault: new RpcFault(-32600, "This is not a JSON-RPC 2.0 call") };
  if (!Array.isArray(params)) return { id, fault: new RpcFault(INVALID_PARAMS, "params must be a list") };
  return { id: Object.hasOwn(call, "id") ? id : undefined, method, params };
}

export interface RpcCalls {
  readonly list: readonly (RpcCall | InvalidCall)[];
  /** True if the responses must be a list too. */
  readonly isBatch: boolean;
}

/** Parses a body: one call, or a batch of at most 50. Throws `invalid_request` for an empty or a longer batch. */
export function readCalls(body: unknown): RpcCalls {
  if (!Array.isArray(body)) return { list: [readCall(body)], isBatch: false };
  if (body.length >= 1 && body.length <= BATCH_LIMIT) return { list: body.map(readCall), isBatch: true };
  throw new ProtocolError("invalid_request", `Cannot read batch: it has 1 to ${BATCH_LIMIT} calls`);
}

/** The id of a call, repeated in its response. Null if it could not be read. */
export type RpcId = string | number | null;

export type RpcAnswerJson = Of<typeof RpcAnswer>;

/** The JSON-RPC codes of problems (EIP-1474, EIP-1193). Problems of bad input are -32602. */
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
  inconsistent_store: -32603,
};

const INVALID_PARAMS = -32602;

export function rpcResult(id: RpcId, result: unknown): RpcAnswerJson {
  return { jsonrpc: "2.0", id, result };
}

/** Creates the response of a refused call. `data` has the code of the problem, unless JSON-RPC itself refuses. */
export function rpcRefusal(id: RpcId, refusal: RefusalError, requestId: string): RpcAnswerJson {
  const { problem, errors, members, message } = refusal;
  if (refusal instanceof RpcFault) return { jsonrpc: "2.0", id, error: { code: refusal.number, message } };
  const data = { code: problem, requestId, ...members, ...(errors === undefined ? {} : { errors }) };
  return { jsonrpc: "2.0", id, error: { code: NUMBERS[problem] ?? INVALID_PARAMS, message, data } };
}

const Id = v.nullable(v.union([v.string(), v.number()]));

/** The response to one call (JSON-RPC 2.0 section 5): exactly one of `result` and `error`. */
export const RpcAnswer = v.strictObject({
  jsonrpc: v.literal("2.0"),
  id: Id,
  result: v.exactOptional(v.unknown()),
  error: v.exactOptional(v.strictObject({
    code: v.pipe(v.number(), v.integer()),
    message: v.string(),
    data: v.exactOptional(v.omit(Problem, ["type", "title", "status", "detail"])),
  })),
});

/** The responses to a batch, in its order, without those of notifications. */
export const RpcAnswers = v.union([RpcAnswer, list(RpcAnswer)]);
