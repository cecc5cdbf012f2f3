import * as openApi from "../../../generated/openapi.json" with { type: "text" };
import type { Html } from "../../lib/html.ts";
import { LANGUAGES } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import { recall } from "../../lib/memoize.ts";
import { apiPage } from "./page.ts";
import type { ApiDocument } from "./document.ts";
import { toFrame } from "../../http/frame-view.ts";
import { htmlPage } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The endpoints that describe the service to programs and to whoever writes them. */
export interface DescriptionEndpoints {
  /** The OpenAPI document. */
  readonly document: LegacyEndpoint<undefined>;
  /** The same to be read. */
  readonly page: LegacyEndpoint<undefined>;
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
  let read: { readonly document: ApiDocument; readonly text: string } | undefined;
  function described(): NonNullable<typeof read> {
    if (read !== undefined) return read;
    const document = readDocument(baseUrl);
    read = { document, text: JSON.stringify(document) };
    return read;
  }

  const pages = new Map<Language, Html>();

  return {
    document: () => {
      const headers = { "content-type": "application/json", ...Object.fromEntries(CACHED) };
      return Promise.resolve(new Response(described().text, { status: 200, headers }));
    },
    page: (context) => {
      const frame = toFrame({ tee }, context);
      const page = recall(
        pages,
        frame.language,
        LANGUAGES.length,
        () => apiPage(described().document, frame),
      );
      return Promise.resolve(htmlPage(200, page, CACHED));
    },
  };
}
