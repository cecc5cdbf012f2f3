import { recordExamples } from "../../test/support/recorded-examples.ts";
import { clientApi } from "./client-api.ts";
import type { Document } from "./client-api.ts";
import { openApiDocument } from "./document.ts";
import { formatDocument } from "./format.ts";

/** What is made from the description of the operations: paths below the project's folder, and texts. */
export async function generatedFiles(): Promise<readonly (readonly [path: string, text: string])[]> {
  const document = openApiDocument(await recordExamples());
  return [
    ["generated/openapi.json", formatDocument(document)],
    ["src/client/api.ts", clientApi(document as unknown as Document)],
  ];
}
