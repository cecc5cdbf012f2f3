/** `type(folder): subject`, or `type: subject` if no folder fits. */
const FORM =
  /^(?:feat|fix|refactor|docs|test|perf|build|chore|style|ci|revert)(?:\([a-z0-9][a-z0-9/.,-]*\))?: ([a-z][^ ]*)( .*)?$/;
const MOST = 72;

/** Endings of a first word that is not imperative: added, adding, adds. */
const NOT_IMPERATIVE = /(?:ed|ing|[^s]s)$/;
/** Verbs that end so in the imperative. */
const EXCEPTIONS = ["bring", "embed", "feed", "focus", "need", "seed", "shed", "speed", "string"];

/** Returns why the subject of a commit breaks the form, or undefined. */
export function findSubjectFault(subject: string): string | undefined {
  if ([...subject].length > MOST) return `more than ${MOST} characters`;
  const [, verb] = FORM.exec(subject) ?? [];
  if (verb === undefined) return "not type(folder): imperative";
  if (subject.endsWith(".")) return "ends with a period";
  return NOT_IMPERATIVE.test(verb) && !EXCEPTIONS.includes(verb) ? `${verb} is not imperative` : undefined;
}
