import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A list of test cases out of @ethersproject/testcases. Its shape is the caller's word. */
export function readVectors<Vector>(name: string): readonly Vector[] {
  const file = new URL(
    `../../../node_modules/@ethersproject/testcases/testcases/${name}.json.gz`,
    import.meta.url,
  );
  return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
}
