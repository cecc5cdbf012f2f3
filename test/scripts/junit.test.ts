import { test } from "node:test";
import assert from "node:assert/strict";
import { readJUnit, skipReasons, titlesOnlyIn } from "../../scripts/junit.ts";

const BUN = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="4" assertions="0" failures="1" skipped="1" time="0.09">
  <testsuite name="test/a.test.ts" file="test/a.test.ts" tests="4" failures="1" skipped="1">
    <testsuite name="seal() &lt;x&gt;" file="test/a.test.ts" line="3" tests="2" failures="0" skipped="1">
      <testcase name="opens" classname="seal() &lt;x&gt;" time="0.001" assertions="0" />
      <testcase name="skipped" classname="seal() &lt;x&gt;" time="0" assertions="0">
        <skipped />
      </testcase>
    </testsuite>
    <testcase name="fails when &quot;a &gt; b&quot;" classname="" time="0.002">
      <failure type="AssertionError" message="got &lt;testcase/&gt;&#10;">AssertionError: &lt;skipped /&gt;</failure>
    </testcase>
    <testcase name="last" classname="" time="0.002" />
  </testsuite>
</testsuites>`;

const DENO = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="6" failures="3" errors="0" time="0.382">
    <testsuite name="./test/a.test.ts" tests="4" disabled="0" errors="0" failures="3">
        <testcase name="seal() &lt;x&gt;" classname="./test/a.test.ts" time="0.004" line="3" col="1">
        </testcase>
        <testcase name="fails when &quot;a &gt; b&quot;" classname="./test/a.test.ts" line="11">
            <failure message="Uncaught AssertionError: over
two lines">AssertionError: &lt;x&gt;</failure>
        </testcase>
        <testcase name="sub" classname="./test/a.test.ts" time="0.002" line="12" col="1">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="sub &gt; inner" classname="./test/a.test.ts" time="0.001" line="12" col="69">
            <failure message="Uncaught Error: x">Error: x</failure>
        </testcase>
    </testsuite>
    <testsuite name="ext:deno_node/testing.ts" tests="2" disabled="1" errors="0" failures="0">
        <testcase name="seal() &lt;x&gt; &gt; opens" classname="ext:deno_node/testing.ts" time="0.000">
        </testcase>
        <testcase name="seal() &lt;x&gt; &gt; skipped" classname="ext:deno_node/testing.ts" time="0.000">
            <skipped/>
        </testcase>
    </testsuite>
</testsuites>`;

function outcomes(xml: string): string[] {
  return readJUnit(xml).tests.map((row) => `${row.outcome} ${row.title}`);
}

test("readJUnit() reads nested suites, skips and failures of Bun", () => {
  assert.deepEqual(outcomes(BUN), [
    "passed seal() <x> > opens",
    "skipped seal() <x> > skipped",
    'failed fails when "a > b"',
    "passed last",
  ]);
  assert.deepEqual([...readJUnit(BUN).files], ["test/a.test.ts"]);
});

test("readJUnit() counts the tests of a suite of Deno and not the suite", () => {
  assert.deepEqual(outcomes(DENO), [
    'failed fails when "a > b"',
    "failed sub > inner",
    "passed seal() <x> > opens",
    "skipped seal() <x> > skipped",
  ]);
  assert.ok(readJUnit(DENO).files.has("test/a.test.ts"));
});

test("readJUnit() counts a suite of Deno that failed although all its tests passed", () => {
  const xml = `<testsuites tests="2" failures="1" errors="0"><testsuite name="./a.test.ts">
    <testcase name="hooks"><failure message="after hook"/></testcase><testcase name="hooks &gt; fine"/>
  </testsuite></testsuites>`;
  assert.deepEqual(outcomes(xml), ["failed hooks", "passed hooks > fine"]);
});

test("readJUnit() counts a cancelled test as failed", () => {
  const xml = `<testsuites tests="1" failures="0" errors="1"><testsuite name="./a.test.ts">
    <testcase name="unhandled"><error message="Cancelled"/></testcase></testsuite></testsuites>`;
  assert.deepEqual(outcomes(xml), ["failed unhandled"]);
});

test("readJUnit() throws when the report announces other tests than it contains", () => {
  assert.throws(() => readJUnit(BUN.replace('tests="4"', 'tests="5"')), RangeError);
  assert.throws(() => readJUnit(""), RangeError);
});

test("titlesOnlyIn() names the tests that Deno silently omitted, and nothing else", () => {
  const bun = readJUnit(BUN).tests;
  assert.deepEqual(titlesOnlyIn(bun, readJUnit(DENO).tests), ["test/a.test.ts: last"]);
  assert.deepEqual(titlesOnlyIn(bun, bun), []);
  const executable = { ...bun.at(-1)!, title: "a start on the executable", top: "a start on the executable" };
  assert.deepEqual(titlesOnlyIn([executable], readJUnit(DENO).tests), []);
});

test("skipReasons() finds the text or the declaration of each skip", () => {
  const source = `
    const missing = existsSync(FOLDER) ? false : "The vectors are not there";
    test("a", { skip: missing }, () => {});
    test("b", { skip: "Needs Linux, or so", timeout: 1 }, () => {});`;
  assert.deepEqual(skipReasons(source), [
    'existsSync(FOLDER) ? false : "The vectors are not there"',
    '"Needs Linux, or so"',
  ]);
});
