import { lookup } from "../../../src/commands/serve.ts";

console.log(JSON.stringify(await Promise.all(["localhost", "nobody.invalid"].map(lookup))));
