import type { SentProof } from "../../oauth/dpop/check-proof.ts";
import type { SentToken } from "../../oauth/dpop/resource-token.ts";
import type { RequestContext } from "../request-context.ts";

/** What a request brings of a DPoP proof, and what one must be of: its method and its target under `BASE_URL`. */
export function readSentProof({ request, url }: RequestContext): SentProof {
  return { header: request.headers.get("dpop"), method: request.method, target: url };
}

/** The token of a request, with its proof; undefined where the header has none, or several. */
export function readSentToken(context: RequestContext): SentToken | undefined {
  const token = readAuthorization(context.request.headers.get("authorization"));
  return token === undefined ? undefined : { ...token, proof: readSentProof(context) };
}

const SCHEMES = { bearer: "Bearer", dpop: "DPoP" } as const;

/** The token in an `Authorization` header of the schemes Bearer and DPoP; undefined for everything else. */
export function readAuthorization(header: string | null): Omit<SentToken, "proof"> | undefined {
  const [, scheme, text] = /^(bearer|dpop) +([!-~]+)$/i.exec(header ?? "") ?? [];
  if (scheme === undefined) return undefined;
  return { scheme: SCHEMES[scheme.toLowerCase() as keyof typeof SCHEMES], text: text! };
}
