import * as v from "valibot";
import { LONGEST_DELAY, SHORTEST_DELAY } from "../../accounts/recovery/recovery-settings.ts";

const Text = v.pipe(v.string(), v.maxLength(100, "Expected at most 100 characters"));

export const CodeBody = v.strictObject({ email: v.string() });

/** An address with the code that was sent to it, a recovery code, or all three. */
export const EvidenceBody = v.pipe(
  v.strictObject({
    email: v.optional(v.string()),
    code: v.optional(Text),
    recoveryCode: v.optional(Text),
  }),
  v.check(
    ({ email, code, recoveryCode }) =>
      (email === undefined) === (code === undefined) && (email ?? recoveryCode) !== undefined,
    "Expected an address with its code, a recovery code, or all three",
  ),
);

export const PasskeyBody = v.strictObject({ response: v.unknown() });

export const SettingsBody = v.strictObject({
  delayHours: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(SHORTEST_DELAY), v.maxValue(LONGEST_DELAY)),
  ),
  emailAlone: v.optional(v.boolean()),
});

export const CancelQuery = v.strictObject({
  recovery: v.optional(v.string()),
  proof: v.optional(v.string()),
});

export const CancelForm = v.strictObject({ recovery: v.string(), proof: v.string() });

/** After sign-up: the local path to continue to. */
export const SettingsQuery = v.strictObject({ next: v.optional(v.string()) });
