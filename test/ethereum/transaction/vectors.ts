import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Reads a list of test cases from @ethersproject/testcases. Does not check their shape. */
export function readVectors<Vector>(name: string): readonly Vector[] {
  const file = new URL(
    `../../../node_modules/@ethersproject/testcases/testcases/${name}.json.gz`,
    import.meta.url,
  );
  return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
}
