import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { readArguments } from "../../src/commands/process/arguments.ts";
import { readDemands, VERIFY_QUOTE_SYNTAX } from "../../src/commands/verify-quote-options.ts";
import { readConfig } from "../../src/config/config.ts";

const GUIDE = readFileSync(new URL("../../docs/why/attestation.md", import.meta.url), "utf8");
const BLOCKS = [...GUIDE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text!);

/** Returns every call of `verify-quote` in the guide, with a valid value for each variable. */
function recipes(): readonly (readonly string[])[] {
  const values: Readonly<Record<string, string>> = { COMPOSE_HASH: "22".repeat(32), APP_ID: "11".repeat(20) };
  const calls = BLOCKS.join("").replaceAll("\\\n", " ").matchAll(/verify-quote -- (.*)$/gm);
  return [...calls].map(([, line]) =>
    line!.replaceAll('"', "").replaceAll(
      /\$(\w+)/g,
      (_, name: string) => /^(?:MRTD|RTMR\d)$/.test(name) ? "00".repeat(48) : values[name] ?? "value",
    ).trim().split(/ +/)
  );
}

describe("docs/why/attestation.md", () => {
  test("sets every variable that it uses before it uses it", () => {
    const set = new Set<string>();
    let used = 0;
    for (const line of BLOCKS.join("").split("\n")) {
      for (const [, name] of line.matchAll(/\$\{?([A-Z_0-9]+)/g)) {
        assert.ok(set.has(name!), `${name} is used in: ${line}`);
        used++;
      }
      for (const [, name] of line.matchAll(/(?:^| )([A-Z_0-9]+)=/g)) set.add(name!);
    }
    assert.ok(used > 0);
  });

  test("uses no variable of the service's configuration", () => {
    for (const [, name] of BLOCKS.join("").matchAll(/(?:^| )([A-Z_0-9]+)=/gm)) {
      const described = JSON.stringify(readConfig({}));
      const changed = ((): string => {
        try {
          return JSON.stringify(readConfig({ [name!]: "/x" }));
        } catch {
          return "refused";
        }
      })();
      assert.equal(changed, described, name!);
    }
  });

  test("names the key provider in every example", async () => {
    const all = recipes();
    assert.ok(all.length >= 3);
    for (const list of all) {
      const given = readArguments(list, VERIFY_QUOTE_SYNTAX);
      if (given.values.has("expect")) continue;
      const values = new Map(given.values);
      for (const file of ["root", "policy"]) values.delete(file);
      const { expectations } = await readDemands({ ...given, values }, new Uint8Array());
      assert.ok(expectations.keyProvider !== undefined, list.join(" "));
    }
  });
});
