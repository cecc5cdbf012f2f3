import type { safeWords as English } from "../en/safe.ts";
import type { Party } from "../party.ts";
import { accusative, dative, nominative } from "./party.ts";

/** Who changes, before the verb: the Safe that the sentence has named, or a key that may run a Safe's code. */
function changing(key: Party | undefined): string {
  if (key === undefined) return "Er";
  const words = nominative(key);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}, falls er den Code eines Safe ausführt,`;
}

export const safeWords: typeof English = {
  safeTransaction: ({ safe, chain, nonce, what, refund }) =>
    `Sie stimmen für den Safe ${safe} auf ${chain} seiner Transaktion ${nonce} zu: ${what}.${
      refund === undefined ? "" : ` ${refund}`
    }`,
  delegateCall: ({ code, count }) =>
    `Er führt den Code von ${dative(code)} als seinen eigenen aus, mit ${count} Bytes. ` +
    "Das kann alles mit dem Safe tun, und was es tut, ist hier nicht bekannt",
  gasRefund: ({ receiver, fixed, price }) =>
    `Außerdem zahlt der Safe ${
      receiver === undefined ? "dem, der sie ausführt," : dative(receiver)
    } für Gas: bis zu ${fixed}, wie wenig auch verbraucht wird, und bis zu ${price} für jede Einheit, die verbraucht wird.`,
  enableModule: ({ key, module }) =>
    `${changing(key)} gehorcht dann dem Modul ${
      nominative(module)
    }, das ohne jede Signatur alles mit ihm tun kann`,
  disableModule: ({ key, module }) =>
    `${changing(key)} gehorcht dem Modul ${nominative(module)} nicht länger`,
  addOwner: ({ key, owner, threshold }) =>
    `${changing(key)} nimmt ${accusative(owner)} als Eigentümer auf und verlangt ${threshold} Signaturen`,
  removeOwner: ({ key, owner, threshold }) =>
    `${changing(key)} hat ${
      accusative(owner)
    } nicht länger als Eigentümer und verlangt ${threshold} Signaturen`,
  swapOwner: ({ key, old, owner }) =>
    `${changing(key)} tauscht einen Eigentümer aus: ${nominative(owner)} kommt für ${accusative(old)}`,
  changeThreshold: ({ key, threshold }) => `${changing(key)} verlangt ${threshold} Signaturen`,
  setGuard: ({ key, guard }) =>
    `${changing(key)} lässt den Wächter ${nominative(guard)} entscheiden, was geschehen darf`,
  setFallbackHandler: ({ key, handler }) =>
    `${changing(key)} lässt ${accusative(handler)} für sich antworten`,
};
