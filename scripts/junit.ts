/** The outcome of one test in a JUnit report. */
export interface TestOutcome {
  /** The path of its test file as the runner wrote it, without a leading `./`. */
  readonly file: string;
  /** The title of its outermost test or suite. */
  readonly top: string;
  /** Its title, after the titles of the suites around it. */
  readonly title: string;
  readonly outcome: "passed" | "failed" | "skipped";
}

/** The report of one run of a test runner. */
export interface Report {
  readonly tests: readonly TestOutcome[];
  /** The files that have at least one row in it. */
  readonly files: ReadonlySet<string>;
}

const TAG = /<(\/?)(testsuites|testsuite|testcase|failure|error|skipped)\b((?:[^>"]|"[^"]*")*?)(\/?)>/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function attribute(text: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text)?.[1];
  return value?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity]!);
}

/**
 * Parses the report of `bun test --reporter=junit` or `deno test --junit-path`. Throws unless it has as many tests as
 * it says. Both runners escape `<` and `>` everywhere, so tags can be found by pattern.
 *
 * Deno lists a suite among its own tests. Such a row is left out unless it failed by itself, for example in a hook.
 * Deno also files the tests inside `describe` under another file, so `file` is correct only for the outermost titles.
 */
export function readJUnit(xml: string): Report {
  const tests: (TestOutcome & { outcome: TestOutcome["outcome"] })[] = [];
  const suites: string[] = [];
  let expected = -1;
  for (const [, closing, name, attributes, empty] of xml.matchAll(TAG)) {
    if (name === "testsuites" && closing === "") expected = Number(attribute(attributes!, "tests"));
    if (name === "testsuite" && closing === "/") suites.pop();
    if (name === "testsuite" && closing === "" && empty === "") {
      suites.push(attribute(attributes!, "name") ?? "");
    }
    if (name === "testcase" && closing === "") {
      const path = [...suites.slice(1), attribute(attributes!, "name") ?? ""];
      const file = suites[0]!.replace(/^\.\//, "");
      tests.push({ file, top: path[0]!, title: path.join(" > "), outcome: "passed" });
    }
    if ((name === "failure" || name === "error") && closing === "") tests.at(-1)!.outcome = "failed";
    if (name === "skipped" && closing === "") tests.at(-1)!.outcome = "skipped";
  }
  if (tests.length !== expected) {
    throw new RangeError(`Cannot read JUnit report: ${tests.length} tests found, ${expected} announced`);
  }
  return {
    tests: tests.filter((test) => !isCoveredByItsChildren(test, tests)),
    files: new Set(tests.map((test) => test.file)),
  };
}

function isCoveredByItsChildren(suite: TestOutcome, tests: readonly TestOutcome[]): boolean {
  const prefix = suite.title + " > ";
  const children = tests.filter((test) => test.title.startsWith(prefix));
  if (suite.outcome === "failed") return children.some((child) => child.outcome === "failed");
  return children.length > 0;
}

/** Tests of the executable, which has Bun inside. They run once, with Bun's. */
const ONE_RUNTIME = /\bexecutable\b/;

/**
 * Returns the outermost titles that Bun ran and Deno did not. Deno exits 0 when a module throws after its first test
 * was registered, and leaves out the tests after that line. `groupModule` reports that as a failed test; this finds
 * any other missing test. Does not count tests of the executable.
 */
export function titlesOnlyIn(bun: readonly TestOutcome[], deno: readonly TestOutcome[]): string[] {
  const seen = new Set(deno.map((test) => test.title.split(" > ")[0]!));
  const whole = new Set(deno.map((test) => test.title));
  const missing = bun.filter((test) =>
    !whole.has(test.top) && !seen.has(test.top.split(" > ")[0]!) && !ONE_RUNTIME.test(test.top)
  );
  return [...new Set(missing.map((test) => `${test.file}: ${test.top}`))];
}

/**
 * Returns the reasons why tests of this source are skipped: the expression of each `skip:`, with the declaration of
 * the name it uses. Neither runner writes the reason into its report.
 */
export function skipReasons(source: string): string[] {
  const expressions = [...source.matchAll(/\bskip:\s*((?:"[^"]*"|`[^`]*`|[^,}\n])+)/g)].map((match) =>
    match[1]!.trim()
  );
  const shorthand = /[{,]\s*skip\s*[,}]/.test(source) ? ["skip"] : [];
  const reasons = [...expressions, ...shorthand].map((expression) => {
    const declared = new RegExp(`\\bconst ${expression}\\b[^=]*=\\s*([^;]+);`).exec(source)?.[1];
    return /^\w+$/.test(expression) && declared !== undefined ? declared.replace(/\s+/g, " ") : expression;
  });
  return [...new Set(reasons)];
}
