import type { SentProof } from "../../oauth/dpop/check-proof.ts";
import type { SentToken } from "../../oauth/dpop/resource-token.ts";
import type { ResourceUse } from "../../oauth/resource.ts";
import type { RequestContext } from "../request-context.ts";

/** Reads the DPoP proof of a request, with the method and target that it must match. */
export function readSentProof({ request, url }: RequestContext): SentProof {
  return { header: request.headers.get("dpop"), method: request.method, target: url };
}

/** Reads the token of a request, with its proof; undefined if the header has none or several. */
export function readSentToken(context: RequestContext, use: ResourceUse): SentToken | undefined {
  const token = readAuthorization(context.request.headers.get("authorization"));
  return token === undefined ? undefined : { ...token, proof: readSentProof(context), use };
}

const SCHEMES = { bearer: "Bearer", dpop: "DPoP" } as const;

/** Parses an `Authorization` header of the schemes Bearer and DPoP; undefined for anything else. */
export function readAuthorization(header: string | null): Pick<SentToken, "scheme" | "text"> | undefined {
  const [, scheme, text] = /^(bearer|dpop) +([!-~]+)$/i.exec(header ?? "") ?? [];
  if (scheme === undefined) return undefined;
  return { scheme: SCHEMES[scheme.toLowerCase() as keyof typeof SCHEMES], text: text! };
}
