import { readFileSync } from "node:fs";
import { recordExamples } from "../../test/support/recorded-examples.ts";
import { fillApiPage } from "./api-page.ts";
import { clientApi } from "./client-api.ts";
import type { Document } from "./client-api.ts";
import { openApiDocument } from "./document.ts";
import { formatDocument } from "./format.ts";
import { logTable } from "./log-table.ts";
import { fillMarkers } from "./markdown.ts";
import { metricsTable } from "./metrics-table.ts";

const API_PAGE = "docs/reference/http-api.md";
const LOG_PAGE = "docs/reference/log.md";
const METRICS_PAGE = "docs/reference/metrics.md";

function readPage(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

/** Returns the files generated from the code: paths relative to the project, and texts. */
export async function generatedFiles(): Promise<readonly (readonly [path: string, text: string])[]> {
  const members = openApiDocument(await recordExamples());
  const document = members as unknown as Document;
  return [
    ["generated/openapi.json", formatDocument(members)],
    ["src/client/api.ts", clientApi(document)],
    [API_PAGE, fillApiPage(readPage(API_PAGE), document)],
    [LOG_PAGE, fillMarkers(readPage(LOG_PAGE), { events: logTable() })],
    [METRICS_PAGE, fillMarkers(readPage(METRICS_PAGE), { families: metricsTable() })],
  ];
}
