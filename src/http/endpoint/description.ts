import * as openApi from "../openapi.json" with { type: "text" };
import { apiPage } from "../../ui/page/api-page.ts";
import type { ApiDocument } from "../../ui/api-document.ts";
import { toFrame } from "../answer/account-view.ts";
import { htmlPage } from "../answer/respond.ts";
import type { Endpoint } from "../route.ts";
import type { Services } from "../services.ts";

/** The endpoints that describe the service to programs and to whoever writes them. */
export interface DescriptionEndpoints {
  /** The OpenAPI document. */
  readonly document: Endpoint<undefined>;
  /** The same to be read. */
  readonly page: Endpoint<undefined>;
}

/** Changes with a new version of the service only. */
const CACHED = [["cache-control", "public, max-age=900"]] as const;

/** The document with this service's origin in place of the example's. */
function readDocument(baseUrl: string): ApiDocument {
  const text = (openApi as { readonly default?: unknown }).default;
  if (typeof text !== "string") throw new TypeError("Cannot read the description: not imported as text");
  return { ...JSON.parse(text), servers: [{ url: baseUrl }] };
}

/** Makes the endpoints. The document is read when it is first asked for. */
export function createDescriptionEndpoints(
  { baseUrl, tee }: Pick<Services, "baseUrl" | "tee">,
): DescriptionEndpoints {
  let texts: { readonly document: string; readonly page: ReturnType<typeof apiPage> } | undefined;
  function read(): NonNullable<typeof texts> {
    if (texts !== undefined) return texts;
    const document = readDocument(baseUrl);
    texts = { document: JSON.stringify(document), page: apiPage(document, toFrame(tee)) };
    return texts;
  }

  return {
    document: () => {
      const headers = { "content-type": "application/json", ...Object.fromEntries(CACHED) };
      return Promise.resolve(new Response(read().document, { status: 200, headers }));
    },
    page: () => Promise.resolve(htmlPage(200, read().page, CACHED)),
  };
}
