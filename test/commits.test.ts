import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findSubjectFault } from "./support/commit-subject.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The last commit before the form was required. */
const BEFORE = "56cc57aa49be02c4bc27146282180977bbe24dae";

/** Returns the output of git, or undefined if it fails or is not installed. */
function git(...list: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", list, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

/** False in an archive, in a shallow clone, and in a folder of another repository. */
const HAS_HISTORY = git("merge-base", "--is-ancestor", BEFORE, "HEAD") !== undefined;

describe("the subjects of commits", () => {
  const skip = HAS_HISTORY ? false : `no history: git does not have commit ${BEFORE}`;

  test("have the form that CONTRIBUTING.md requires", { skip }, () => {
    const log = git("log", "--no-merges", "--format=%H %s", `${BEFORE}..HEAD`)!;
    const commits = log.split("\n").filter((line) => line !== "");
    assert.ok(commits.length > 0);
    const faults = commits.flatMap((commit) => {
      const fault = findSubjectFault(commit.slice(41));
      return fault === undefined ? [] : [`${commit}: ${fault}`];
    });
    assert.deepEqual(faults, []);
  });
});

describe("the form of a subject", () => {
  const ACCEPTED = [
    "feat: add a command",
    "fix(http): reject an empty header",
    "docs(store,db): drop comments that repeat the code",
    "refactor(http/request): pass a context",
    "revert: restore the old default",
    "chore: bring the lock file up to date",
    `test(oauth): ${"x".repeat(59)}`,
  ];
  for (const subject of ACCEPTED) {
    test(`accepts ${subject}`, () => assert.equal(findSubjectFault(subject), undefined));
  }

  const REJECTED: readonly (readonly [subject: string, fault: RegExp])[] = [
    ["Add a command", /^not type/],
    ["bench: add a load", /^not type/],
    ["fix(http) reject an empty header", /^not type/],
    ["fix(http): Reject an empty header", /^not type/],
    ["fix(): reject an empty header", /^not type/],
    ["fix(HTTP): reject an empty header", /^not type/],
    ["fix: 30 applications are answered", /^not type/],
    ['Revert "fix: reject an empty header"', /^not type/],
    ["docs: name the folder.", /period/],
    ["docs: added a page", /added is not imperative/],
    ["docs: adding a page", /adding is not imperative/],
    ["docs: adds a page", /adds is not imperative/],
    [`test(oauth): ${"x".repeat(60)}`, /more than 72/],
  ];
  for (const [subject, fault] of REJECTED) {
    test(`rejects ${subject}`, () => assert.match(findSubjectFault(subject) ?? "", fault));
  }
});
