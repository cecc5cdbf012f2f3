import type { RpcId } from "../answer/rpc-json.ts";
import { asObject } from "../../lib/object.ts";
import { ProtocolError } from "../../lib/error.ts";

/** One call (JSON-RPC 2.0 section 4). A notification has no id: it gets no answer, and here nothing is done of it. */
export interface RpcCall {
  readonly id: RpcId | undefined;
  readonly method: string;
  /** By position. */
  readonly params: readonly unknown[];
}

/** A call that is none; its number is that of JSON-RPC. */
export interface RpcFault {
  readonly id: RpcId;
  readonly code: -32600 | -32602;
  readonly message: string;
}

/** Calls that a batch may have. */
export const BATCH_LIMIT = 50;

const MEMBERS = ["jsonrpc", "id", "method", "params"];

function isId(value: unknown): value is RpcId {
  return value === null || typeof value === "string" || Number.isSafeInteger(value);
}

/** Reads one call. Never throws. */
export function readCall(value: unknown): RpcCall | RpcFault {
  const call = asObject(value) ?? {};
  const id = isId(call["id"]) ? call["id"] : null;
  const { jsonrpc, method, params = [] } = call;
  const isRead = jsonrpc === "2.0" && typeof method === "string" &&
    (!Object.hasOwn(call, "id") || isId(call["id"])) &&
    Object.keys(call).every((name) => MEMBERS.includes(name));
  if (!isRead) return { id, code: -32600, message: "This is no call of JSON-RPC 2.0" };
  if (!Array.isArray(params)) return { id, code: -32602, message: "Parameters are a list" };
  return { id: Object.hasOwn(call, "id") ? id : undefined, method, params };
}

/** What a body asks. */
export interface RpcCalls {
  readonly list: readonly (RpcCall | RpcFault)[];
  /** Whether the answers stand in a list, too. */
  readonly isBatch: boolean;
}

/** The calls of a body: one, or a batch of at most 50. Throws `invalid_request` for an empty or a longer one. */
export function readCalls(body: unknown): RpcCalls {
  if (!Array.isArray(body)) return { list: [readCall(body)], isBatch: false };
  if (body.length >= 1 && body.length <= BATCH_LIMIT) return { list: body.map(readCall), isBatch: true };
  throw new ProtocolError("invalid_request", `Cannot read batch: it has 1 to ${BATCH_LIMIT} calls`);
}
