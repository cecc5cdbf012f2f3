import { ProtocolError } from "../lib/error.ts";
import type { Policy } from "./policy.ts";
import { readPolicy } from "./read-policy.ts";
import { POLICY_TEMPLATES } from "./templates.ts";

/** A value of a template that the owner can change. `unit` is the symbol of a token. */
export interface TemplateField {
  readonly name: string;
  /** Its places in the template, as members and indexes. */
  readonly path: readonly (string | number)[];
  readonly kind: "amount" | "count" | "host";
  readonly decimals?: number;
  readonly unit?: string;
}

const USDC = { kind: "amount", decimals: 6, unit: "USDC" } as const;

/** The templates that the owner picks from on the consent page, with their values. The first is picked at first. */
export const FILLABLE_TEMPLATES = {
  ask: [],
  "sign-in": [
    { name: "site", path: ["messages", "signIn", 0, "domains", 0], kind: "host" },
    { name: "perMinute", path: ["perMinute"], kind: "count" },
  ],
  x402: [
    { name: "each", path: ["typedData", 0, "where", "/value", "atMost"], ...USDC },
    { name: "perDay", path: ["budgets", "paid-usdc", "perDay"], ...USDC },
    { name: "perMinute", path: ["perMinute"], kind: "count" },
  ],
  "x402-permit2": [
    { name: "each", path: ["typedData", 0, "where", "/permitted/amount", "atMost"], ...USDC },
    { name: "rollingDay", path: ["budgets", "paid-usdc", "rollingDay"], ...USDC },
    { name: "toEach", path: ["budgets", "for-each", "rollingHour"], ...USDC },
  ],
  "trading-bot": [
    { name: "each", path: ["typedData", 0, "where", "/sellAmount", "atMost"], ...USDC },
    { name: "perDay", path: ["budgets", "sold-usdc", "perDay"], ...USDC },
    { name: "perMinute", path: ["perMinute"], kind: "count" },
  ],
} as const satisfies Readonly<Record<string, readonly TemplateField[]>>;

export type FillableTemplate = keyof typeof FILLABLE_TEMPLATES;

const ASK_ALWAYS = { version: 1, otherwise: "ask" } as const;

type Members = Record<string | number, unknown>;

function templateOf(id: FillableTemplate): Members {
  const template = id === "ask" ? ASK_ALWAYS : POLICY_TEMPLATES.find((one) => one.id === id)!.policy;
  return structuredClone(template) as Members;
}

function parentOf(policy: Members, path: TemplateField["path"]): Members {
  return path.slice(0, -1).reduce((at, step) => at[step] as Members, policy);
}

/** Formats the value of a field in a template, in the token's unit. */
export function usualValue(id: FillableTemplate, { path, decimals = 0 }: TemplateField): string {
  const text = String(parentOf(templateOf(id), path)[path.at(-1)!]);
  if (decimals === 0) return text;
  const digits = text.padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
}

/** Parses a typed value to the form of a policy. Returns undefined if it is malformed. */
function readValue({ kind, decimals = 0 }: TemplateField, text: string): string | number | undefined {
  if (kind === "host") return text.trim();
  const match = /^(\d{1,30})(?:[.,](\d+))?$/.exec(text.trim());
  const [, whole = "", fraction = ""] = match ?? [];
  if (match === null || fraction.length > decimals) return undefined;
  const digits = (whole + fraction.padEnd(decimals, "0")).replace(/^0+(?=\d)/, "");
  return kind === "count" ? Number(digits) : digits;
}

/**
 * Returns the policy of a template with the owner's values, the usual ones where none are given. With `asksElse` it
 * asks about everything else. Throws `invalid_request` for a value that does not fit.
 */
export function fillTemplate(
  id: FillableTemplate,
  values: ReadonlyMap<string, string>,
  { asksElse }: { readonly asksElse: boolean },
): Policy {
  const policy = templateOf(id);
  for (const field of FILLABLE_TEMPLATES[id] as readonly TemplateField[]) {
    const text = values.get(field.name);
    if (text === undefined) continue;
    const value = readValue(field, text);
    if (value === undefined) throw new ProtocolError("invalid_request", `Type a number as ${field.name}`);
    parentOf(policy, field.path)[field.path.at(-1)!] = value;
  }
  return readPolicy(asksElse ? { ...policy, otherwise: "ask" } : policy);
}
