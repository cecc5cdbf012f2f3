import * as openApi from "../../../generated/openapi.json" with { type: "text" };
import { toFrame } from "../../http/frame-view.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { htmlPage } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { Html } from "../../lib/html.ts";
import { type Language, LANGUAGES } from "../../lib/language.ts";
import { memoize, memoizePerObject } from "../../lib/memoize.ts";
import type { ApiDocument } from "./document.ts";
import { apiPage } from "./page.ts";

/** Seconds. The document changes only with a new version of the service. */
const CACHED = [["cache-control", "public, max-age=900"]] as const;

/** Reads the document, with this service's origin in place of the example's. */
function readDocument(baseUrl: string): ApiDocument {
  const text = (openApi as { readonly default?: unknown }).default;
  if (typeof text !== "string") throw new TypeError("Cannot read the description: not imported as text");
  return { ...JSON.parse(text), servers: [{ url: baseUrl }] };
}

/** Returns the document of a service and its pages by language. Parses it at the first request. */
const descriptionOf = memoizePerObject(({ baseUrl }: Services) => {
  const document = readDocument(baseUrl);
  return { document, text: JSON.stringify(document), pages: new Map<Language, Html>() };
});

export const getOpenApi = defineEndpoint(publicAccess, {}, (_context, _principal, _input, services) => {
  const headers = { "content-type": "application/json", ...Object.fromEntries(CACHED) };
  return Promise.resolve(new Response(descriptionOf(services).text, { status: 200, headers }));
});

export const showApi = defineEndpoint(publicAccess, {}, (context, _principal, _input, services) => {
  const frame = toFrame(services, context);
  const { document, pages } = descriptionOf(services);
  const page = memoize(pages, frame.language, LANGUAGES.length, () => apiPage(document, frame));
  return Promise.resolve(htmlPage(200, page, CACHED));
});
