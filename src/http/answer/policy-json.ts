import { storedPolicy } from "../../keys/key-policy.ts";
import type { EthereumKey } from "../../keys/key.ts";
import { termsAt } from "../../keys/terms.ts";
import { toHex } from "../../lib/bytes.ts";
import { API_LANGUAGE } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import { toIso } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { policyHash } from "../../policy/canonical.ts";
import { describePolicy } from "../../policy/describe.ts";
import type { KeyPolicyView, PolicyView } from "../../ui/view.ts";

function toPolicyView(text: string | null, language: Language): PolicyView {
  const policy = storedPolicy(text);
  if (policy === null) return { policy, hash: null, words: null };
  return { policy, hash: toHex(policyHash(policy)), words: describePolicy(policy, language) };
}

/** What a key may sign now and what becomes of that, as answers show it, and pages in their reader's language. */
export function toKeyPolicyJson(
  key: EthereumKey,
  now: Instant,
  language: Language = API_LANGUAGE,
): KeyPolicyView {
  const { policy, change } = termsAt(key.terms, now);
  return {
    ...toPolicyView(policy, language),
    change: change === null
      ? null
      : { ...toPolicyView(change.to, language), takesEffectAt: toIso(change.at) },
  };
}
