import * as v from "valibot";
import { RefusalError } from "../../lib/error.ts";
import { json, noContent } from "../../http/response/respond.ts";
import { readCalls, rpcFault, rpcRefusal, rpcResult } from "./json-rpc.ts";
import type { RpcAnswerJson, RpcAnswers, RpcCall, RpcFault } from "./json-rpc.ts";
import { receiptHeader } from "../../http/cookie/log-receipt.ts";
import type { KeyUser } from "../../http/guard/key-requester.ts";
import { readJson } from "../../http/request/body.ts";
import { readQuery } from "../../http/request/query.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { createRpcMethods } from "./rpc-methods.ts";
import type { RpcServices } from "./rpc-methods.ts";
import { AnyBody, SIGN_BODY } from "./sign.ts";

/** The chain that the caller means: the service has none, and only says it back. */
export const RpcQuery = v.strictObject({
  chainId: v.optional(
    v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,15}$/, "Expected a chain id in decimal digits")),
    "1",
  ),
});

/** What JSON-RPC says of a body that has no calls. */
const BODY_FAULTS: Readonly<Record<string, number>> = { invalid_json: -32700, invalid_request: -32600 };

/** Makes the JSON-RPC endpoint over the given services. */
export function createRpcEndpoint(
  services: RpcServices & Pick<Services, "witness">,
): LegacyEndpoint<KeyUser> {
  const methods = createRpcMethods(services);

  /** The answer to one call; undefined for a notification, of which nothing is done: nobody would hear of it. */
  async function answer(
    call: RpcCall | RpcFault,
    context: RequestContext,
    user: KeyUser,
    chainId: bigint,
  ): Promise<RpcAnswerJson | undefined> {
    if ("code" in call) return rpcFault(call.id, call.code, call.message);
    const { id, method, params } = call;
    if (id === undefined) return undefined;
    if (method === "eth_sign") {
      return rpcFault(
        id,
        -32004,
        "eth_sign signs bytes that nobody can read, a transaction as well: it is refused",
      );
    }
    const run = methods.get(method);
    if (run === undefined) {
      return rpcFault(id, -32601, "There is no such method: keys sign here, and no chain is asked");
    }
    try {
      return rpcResult(id, await run({ context, user, chainId, params }));
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return rpcRefusal(id, error, context.requestId);
    }
  }

  async function readBody(context: RequestContext): Promise<ReturnType<typeof readCalls> | RpcAnswerJson> {
    try {
      return readCalls(await readJson(context, AnyBody, { ...SIGN_BODY, top: "any" }));
    } catch (error) {
      const code = error instanceof RefusalError ? BODY_FAULTS[error.problem] : undefined;
      if (code === undefined) throw error;
      return rpcFault(null, code, (error as RefusalError).message);
    }
  }

  return async (context, user) => {
    const chainId = BigInt(readQuery(context, RpcQuery).chainId);
    const calls = await readBody(context);
    if ("jsonrpc" in calls) return json<typeof RpcAnswers>(200, calls);
    // Side by side: what they write shares a commit.
    const all = await Promise.all(calls.list.map((call) => answer(call, context, user, chainId)));
    const answers = all.filter((one) => one !== undefined);
    if (answers.length === 0) return noContent();
    const body = calls.isBatch ? answers : answers[0]!;
    return json<typeof RpcAnswers>(200, body, receiptHeader(context, services.witness));
  };
}
