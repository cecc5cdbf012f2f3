import { presentNonce } from "../../oauth/dpop/nonce.ts";
import type { Vault } from "../../vault/vault.ts";
import type { RequestContext } from "../request-context.ts";

/** Has whatever is answered carry the nonce for the sender's next proof (RFC 9449 section 8.2). */
export function giveNonce({ answerHeaders, now }: RequestContext, vault: Vault): void {
  answerHeaders.set("dpop-nonce", [["dpop-nonce", presentNonce(vault, now)]]);
}
