import { token } from "../../http/guard/key-guards.ts";
import { readJson } from "../../http/request/body.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { RefusalError } from "../../lib/error.ts";
import { readCalls, rpcFault, rpcRefusal, rpcResult } from "./json-rpc.ts";
import type { RpcAnswerJson, RpcAnswers, RpcCall, RpcFault } from "./json-rpc.ts";
import { listAccounts, RPC_METHODS, type RpcRequest } from "./rpc-methods.ts";
import { RpcQuery, SIGN_BODY, UncheckedBody } from "./schema.ts";

/** JSON-RPC's error codes for a body that has no calls. */
const BODY_FAULTS: Readonly<Record<string, number>> = { invalid_json: -32700, invalid_request: -32600 };

/** Executes one call. Returns undefined for a notification, which is not executed because it has no response. */
async function runCall(
  call: RpcCall | RpcFault,
  request: Omit<RpcRequest, "params">,
): Promise<RpcAnswerJson | undefined> {
  if ("code" in call) return rpcFault(call.id, call.code, call.message);
  const { id, method, params } = call;
  if (id === undefined) return undefined;
  if (method === "eth_sign") {
    return rpcFault(
      id,
      -32004,
      "eth_sign is refused: it signs unreadable bytes, which may be a transaction",
    );
  }
  const run = RPC_METHODS.get(method);
  if (run === undefined) {
    return rpcFault(
      id,
      -32601,
      "There is no such method: this service signs with keys and does not query a chain",
    );
  }
  try {
    return rpcResult(id, await run({ ...request, params }));
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return rpcRefusal(id, error, request.context.requestId);
  }
}

async function readBody(context: RequestContext): Promise<ReturnType<typeof readCalls> | RpcAnswerJson> {
  try {
    return readCalls(await readJson(context, UncheckedBody, { ...SIGN_BODY, top: "any" }));
  } catch (error) {
    const code = error instanceof RefusalError ? BODY_FAULTS[error.problem] : undefined;
    if (code === undefined) throw error;
    return rpcFault(null, code, (error as RefusalError).message);
  }
}

export const callRpc = defineEndpoint(
  token,
  { query: RpcQuery },
  async (context, user, { query }, services) => {
    const calls = await readBody(context);
    if ("jsonrpc" in calls) return json<typeof RpcAnswers>(200, calls);
    let accounts: ReturnType<typeof listAccounts> | undefined;
    const request: Omit<RpcRequest, "params"> = {
      context,
      services,
      user,
      chainId: query.chainId,
      listAccounts: () => accounts ??= listAccounts(context, services, user),
    };
    // Runs concurrently, so that the writes share a commit. What takes long waits in the account's queue.
    const all = await Promise.all(calls.list.map((call) => runCall(call, request)));
    const responses = all.filter((one) => one !== undefined);
    if (responses.length === 0) return noContent();
    return json<typeof RpcAnswers>(200, calls.isBatch ? responses : responses[0]!);
  },
);
