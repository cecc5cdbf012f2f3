import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readLogoFile } from "../../../src/commands/files/logo.ts";
import { ConfigError } from "../../../src/config/config.ts";
import { temporaryFolder } from "../../support/temporary.ts";

test("readLogoFile() names SERVICE_LOGO and what is wrong with the file", () => {
  using folder = temporaryFolder();
  const write = (name: string, content: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, content);
    return path;
  };
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"></svg>';
  assert.equal(readLogoFile(undefined), undefined);
  assert.equal(readLogoFile(write("good.svg", svg))?.body, svg);
  for (
    const [path, fault] of [
      [join(folder.path, "none.svg"), "it cannot be read (ENOENT)"],
      [folder.path, "it is not a regular file"],
      [write("long.svg", svg + " ".repeat(128 * 1024)), "it is longer than 128 KiB"],
      [write("script.svg", svg.replace("><", "><script/><")), "an SVG must not have the element script"],
    ] as const
  ) {
    const isNamed = (error: unknown): boolean =>
      error instanceof ConfigError && error.message === `SERVICE_LOGO cannot be used: ${fault}`;
    assert.throws(() => readLogoFile(path), isNamed, fault);
  }
});
