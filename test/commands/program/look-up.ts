import { lookup } from "../../../src/commands/serve.ts";

console.log(JSON.stringify(await Promise.all(["localhost", "unknown.invalid"].map(lookup))));
