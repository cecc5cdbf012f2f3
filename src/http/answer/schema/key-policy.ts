import * as v from "valibot";
import type { KeyPolicyView } from "../../../ui/view.ts";
import { Policy } from "./policy.ts";
import { type AnswerSchema, Bytes32, Count, list, Time } from "./value.ts";

/** What a key may sign, whoever asks. */
export const KeyPolicy = v.strictObject({
  ...Policy.entries,
  delayHours: v.pipe(Count, v.description("How long a looser one waits: 0 to 168")),
  locked: v.pipe(v.boolean(), v.description("Whether it can never become looser")),
});

/** A policy in its normal form; null where the key may sign anything. */
const policy = v.nullable(KeyPolicy);
const described = {
  policy,
  hash: v.pipe(v.nullable(Bytes32), v.description("SHA-256 of its canonical JSON (RFC 8785)")),
  words: v.pipe(v.nullable(list(v.string())), v.description("Its rules in sentences")),
};

/** What a key may sign, and what becomes of that. */
export const KeyPolicyAnswer = v.strictObject({
  ...described,
  change: v.pipe(
    v.nullable(v.strictObject({ ...described, takesEffectAt: Time })),
    v.description("What takes its place, and when; null where nothing waits"),
  ),
}) satisfies AnswerSchema<KeyPolicyView>;

/** The same beside a quote. */
export const PolicyChange = v.strictObject({ policy, takesEffectAt: Time });
