import type { Of } from "../../api/value.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { ProtocolError } from "../../lib/error.ts";
import { parseJson } from "../../lib/json.ts";
import { API_LANGUAGE, type Language } from "../../lib/language.ts";
import type { GrantLength, KeyChoice, KeyOptions } from "../../oauth/authorize/key-choice.ts";
import { describeRules } from "../../policy/describe-rules.ts";
import { type FillableTemplate, fillTemplate } from "../../policy/fill-template.ts";
import type { Policy } from "../../policy/policy.ts";
import { readPolicy } from "../../policy/read-policy.ts";
import type { KeyRightsData } from "./key-rights-section.ts";
import { CHOICE, type ConsentForm, USUAL_LENGTH } from "./schema.ts";

const LENGTHS = CHOICE.end.wrapped.options;

/** The user's choice of keys, of rules to keep, of a template with its values, and of the grant's length. */
interface Choice {
  readonly keys: readonly string[];
  readonly rules: readonly string[];
  readonly end: GrantLength;
  readonly template: FillableTemplate | "own";
  /** The policy of the template `own`, or its JSON text. */
  readonly policy?: unknown;
  readonly values: Readonly<Record<string, string>>;
  /** `ask` to be asked about everything else. */
  readonly otherwise?: "ask" | undefined;
  readonly replace: boolean;
  /** True if the owner allows the dangerous rules of the policy that they wrote. */
  readonly danger: boolean;
}

/**
 * Throws `invalid_request` for a dangerous rule: the policy may be one that the application told the owner to paste.
 */
function refuseDanger(policy: Policy): void {
  const dangerous = describeRules(policy, API_LANGUAGE).rules.find(({ level }) => level === "red");
  if (dangerous === undefined) return;
  const message =
    "This rule can cost you everything that the key owns. Allow dangerous rules, or leave it out";
  throw new ProtocolError("invalid_request", message, {
    errors: [{ path: `/policy${dangerous.pointer}`, message }],
  });
}

/** Reads the policy that the owner wrote, which names its place in a fault. */
function readOwnPolicy({ policy, otherwise, danger }: Choice): Policy {
  const own = readPolicy(typeof policy === "string" ? parseJson(policy) : policy, "/policy");
  if (!danger) refuseDanger(own);
  return otherwise === "ask" ? { ...own, otherwise } : own;
}

/** Returns the policy that the owner picked or wrote. Throws `invalid_request`, with a link back to `page`. */
function pickedPolicy(choice: Choice, page: string | undefined): Policy {
  const { template, values, otherwise } = choice;
  try {
    if (template === "own") return readOwnPolicy(choice);
    return fillTemplate(template, new Map(Object.entries(values)), { asksElse: otherwise === "ask" });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const [fault] = error.errors ?? [];
    const place = template === "own" && fault?.path !== undefined ? `${fault.path}: ` : "";
    throw new ProtocolError(
      "invalid_request",
      place + (fault?.message ?? error.message),
      page === undefined ? {} : { returnLink: { path: page, to: "consent" } },
    );
  }
}

/** Converts a choice for the domain. `page` is the one that shows it, for a link in an error. */
export function choiceOf(choice: Choice, page?: string): KeyChoice {
  return {
    keys: choice.keys,
    rules: new Set(choice.rules),
    length: choice.end,
    picked: () => pickedPolicy(choice, page),
    replaces: choice.replace,
  };
}

/** Returns the members with this prefix, without it. */
function withoutPrefix(form: Of<typeof ConsentForm>, prefix: string): Readonly<Record<string, string>> {
  const entries = Object.entries(form).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value ?? ""]));
}

/** Returns the choice that a consent form has: ticked boxes, and the values of the template. */
export function formChoiceOf(form: Of<typeof ConsentForm>): Choice {
  return {
    keys: Object.keys(withoutPrefix(form, "key:")),
    rules: Object.keys(withoutPrefix(form, "rule:")),
    end: form.end,
    template: form.template,
    policy: form.policy,
    values: withoutPrefix(form, `value:${form.template}:`),
    otherwise: form.otherwise,
    replace: form.replace === "on",
    danger: form.danger === "on",
  };
}

/** Returns what the form offers to choose. */
export function keyRightsOf(
  { keys, reads, wallets, policy, picks, hasRights }: KeyOptions,
  language: Language,
): KeyRightsData {
  return {
    keys: keys.map(({ id, label, address }) => ({ id, label, address: toChecksumAddress(address) })),
    reads,
    wallets,
    picks,
    hasRights,
    signing: policy === undefined ? undefined : describeRules(policy, language),
    // The addresses of keys are shown as long as the client has access.
    lengths: reads || picks || policy !== undefined
      ? LENGTHS.map((id) => ({ id, chosen: id === USUAL_LENGTH }))
      : [],
  };
}
