import { token } from "../../http/guard/key-guards.ts";
import { readJson } from "../../http/request/body.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Work } from "../../keys/work.ts";
import { RefusalError } from "../../lib/error.ts";
import { readCalls, RpcFault, rpcRefusal, rpcResult } from "./json-rpc.ts";
import type { InvalidCall, RpcAnswerJson, RpcAnswers, RpcCall, RpcCalls } from "./json-rpc.ts";
import { listAccounts, refuseUnknown, RPC_METHODS, type RpcRequest } from "./rpc-methods.ts";
import { RpcQuery, UncheckedBody } from "./schema.ts";
import { chargeAttempt, signBodyOf } from "./signer.ts";

/** JSON-RPC's error codes for a body that has no calls. */
const BODY_FAULTS: Readonly<Record<string, number>> = { invalid_json: -32700, invalid_request: -32600 };

/** Executes one call. Returns undefined for a notification, which is not executed because it has no response. */
async function runCall(
  call: RpcCall | InvalidCall,
  request: Omit<RpcRequest, "params" | "work">,
): Promise<RpcAnswerJson | undefined> {
  const { context, services, user } = request;
  const { id } = call;
  if (id === undefined) return undefined;
  try {
    const result = await chargeAttempt(context, services, user, async (work) => {
      if ("fault" in call) throw call.fault;
      const { method, params } = call;
      return await (RPC_METHODS.get(method) ?? refuseUnknown)({ ...request, params, work });
    });
    return rpcResult(id, result);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return rpcRefusal(id, error, context.requestId);
  }
}

/** Reads the calls. An invalid body is one invalid call. Its work is charged; that on a valid body is not. */
async function readBody(context: RequestContext, work: Work): Promise<RpcCalls> {
  try {
    const calls = readCalls(await readJson(context, UncheckedBody, { ...signBodyOf(work), top: "any" }));
    work.parts = 0;
    return calls;
  } catch (error) {
    const number = error instanceof RefusalError ? BODY_FAULTS[error.problem] : undefined;
    if (number === undefined) throw error;
    const fault = new RpcFault(number, (error as RefusalError).message);
    return { list: [{ id: null, fault }], isBatch: false };
  }
}

export const callRpc = defineEndpoint(
  token,
  { query: RpcQuery },
  async (context, user, { query }, services) => {
    const calls = await chargeAttempt(context, services, user, (work) => readBody(context, work));
    let accounts: ReturnType<typeof listAccounts> | undefined;
    const request = {
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
