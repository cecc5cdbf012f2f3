import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CollateralDocument } from "./quote-documents.ts";

/** The requested resource, as its path ends. */
export type PccsPath = "tcb" | "identity" | "pckcrl" | "rootcacrl";

/** A reply instead of the right one; `hang` for none at all. */
export type PccsReply =
  | "hang"
  | {
    readonly status?: number;
    readonly body?: string | Uint8Array;
    readonly headers?: Readonly<Record<string, string>>;
  };

export interface PccsBehaviour {
  /** The format of lists: Intel's (`der`), or that of caching services (`hex`). */
  readonly lists?: "der" | "hex";
  readonly replies?: Partial<Record<PccsPath, PccsReply>>;
}

/** A caching service that listens on loopback. */
export interface Pccs extends AsyncDisposable {
  readonly base: string;
  /** Path and query of every request so far. */
  readonly requests: readonly string[];
  /** The `traceparent` of every request so far. */
  readonly traces: readonly (string | undefined)[];
}

function answersOf(
  document: CollateralDocument,
  lists: "der" | "hex",
): Record<PccsPath, Exclude<PccsReply, "hang">> {
  const list = (hex: string): string | Uint8Array => lists === "hex" ? hex : Uint8Array.fromHex(hex);
  const chain = encodeURIComponent;
  return {
    tcb: {
      body: `{"tcbInfo":${document.tcb_info},"signature":"${document.tcb_info_signature}"}`,
      headers: { "TCB-Info-Issuer-Chain": chain(document.tcb_info_issuer_chain) },
    },
    identity: {
      body: `{"enclaveIdentity":${document.qe_identity},"signature":"${document.qe_identity_signature}"}`,
      headers: { "SGX-Enclave-Identity-Issuer-Chain": chain(document.qe_identity_issuer_chain) },
    },
    pckcrl: {
      body: list(document.pck_crl),
      headers: { "SGX-PCK-CRL-Issuer-Chain": chain(document.pck_crl_issuer_chain) },
    },
    rootcacrl: { body: list(document.root_ca_crl) },
  };
}

/** Serves a collateral document as Intel's service and its caches do. */
export async function startPccs(
  collateral: string,
  { lists = "der", replies = {} }: PccsBehaviour = {},
): Promise<Pccs> {
  const answers = answersOf(JSON.parse(collateral) as CollateralDocument, lists);
  const requests: string[] = [];
  const traces: (string | undefined)[] = [];

  function handle(request: IncomingMessage, response: ServerResponse): void {
    requests.push(request.url!);
    traces.push(request.headers["traceparent"]?.toString());
    const path = new URL(request.url!, "http://pccs").pathname.split("/").at(-1) as PccsPath;
    const reply = replies[path] ?? {};
    if (reply === "hang") return;
    const { status = 200, headers, body } = { ...answers[path], ...reply };
    response.writeHead(status, headers).end(body);
  }

  const server = createServer(handle);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    traces,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}
