import type { HoldfastClient, RpcAnswer } from "./client.ts";

export interface RequestArguments {
  readonly method: string;
  readonly params?: readonly unknown[] | Readonly<Record<string, unknown>>;
}

/** The part of EIP-1193 that libraries require. Has no events, because its accounts and chain never change. */
export interface HoldfastProvider {
  request(request: RequestArguments): Promise<unknown>;
}

/** An EIP-1193 error: the code of JSON-RPC, and the problem's code in `data`. */
export class ProviderRpcError extends Error {
  override readonly name = "ProviderRpcError";
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: NonNullable<RpcAnswer["error"]>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * Creates a provider over the keys of the client's token. It signs but does not forward calls to a chain: use it as a
 * library's wallet, with a separate transport that reads the chain.
 */
export function toHoldfastProvider(client: HoldfastClient): HoldfastProvider {
  let id = 0;
  return {
    async request({ method, params }) {
      const call = {
        jsonrpc: "2.0",
        id: ++id,
        method,
        ...(params === undefined ? {} : { params: params as readonly unknown[] }),
      } as const;
      // The service refuses named parameters: no method takes them.
      const answer = await client.rpc({ body: call }) as RpcAnswer;
      if (answer.error !== undefined) throw new ProviderRpcError(answer.error);
      return answer.result;
    },
  };
}
