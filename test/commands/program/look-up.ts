import { lookup } from "../../../src/commands/wiring/lookup.ts";

console.log(JSON.stringify(await Promise.all(["localhost", "nobody.invalid"].map(lookup))));
