import type { HoldfastClient, RpcAnswer } from "./client.ts";

/** What a library asks (EIP-1193). */
export interface RequestArguments {
  readonly method: string;
  readonly params?: readonly unknown[] | Readonly<Record<string, unknown>>;
}

/** The part of EIP-1193 that libraries need of a wallet: this one never changes its accounts or its chain by itself. */
export interface HoldfastProvider {
  request(request: RequestArguments): Promise<unknown>;
}

/** A refusal (EIP-1193, "Errors"): JSON-RPC's number, and in `data` the problem's code. */
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
 * A provider over the keys that the client's token names. It signs, and forwards nothing to a chain: give it to a library
 * as its wallet, beside a transport that reads the chain.
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
      // The service refuses parameters by name: no method here has them.
      const answer = await client.rpc({ body: call }) as RpcAnswer;
      if (answer.error !== undefined) throw new ProviderRpcError(answer.error);
      return answer.result;
    },
  };
}
