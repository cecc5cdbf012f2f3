import { readFileSync } from "node:fs";
import { recordExamples } from "../../test/support/recorded-examples.ts";
import { fillApiPage } from "./api-page.ts";
import { clientApi } from "./client-api.ts";
import type { Document } from "./client-api.ts";
import { openApiDocument } from "./document.ts";
import { formatDocument } from "./format.ts";

const API_PAGE = "docs/reference/http-api.md";

/** Returns the files generated from the description: paths relative to the project, and texts. */
export async function generatedFiles(): Promise<readonly (readonly [path: string, text: string])[]> {
  const members = openApiDocument(await recordExamples());
  const document = members as unknown as Document;
  const page = readFileSync(new URL(`../../${API_PAGE}`, import.meta.url), "utf8");
  return [
    ["generated/openapi.json", formatDocument(members)],
    ["src/client/api.ts", clientApi(document)],
    [API_PAGE, fillApiPage(page, document)],
  ];
}
