import type { callWords as English } from "../en/calls.ts";
import type { Actor } from "../party.ts";
import { accusative, dative, nominative } from "./party.ts";

/** Who does it: whoever signs, or the Safe that was named before. */
const SENDS: Readonly<Record<Actor, string>> = { you: "Sie senden", safe: "Er sendet" };
const ALLOWS: Readonly<Record<Actor, string>> = { you: "Sie erlauben", safe: "Er erlaubt" };
const FORBIDS: Readonly<Record<Actor, string>> = { you: "Sie verbieten", safe: "Er verbietet" };
const CALLS: Readonly<Record<Actor, string>> = { you: "Sie rufen", safe: "Er ruft" };

interface Called {
  readonly by: Actor;
  readonly along: string | undefined;
}

function alongWords({ by, along }: Called): string {
  return along === undefined ? "" : `, und ${by === "you" ? "senden" : "sendet"} dem Vertrag ${along} mit`;
}

function endWords({ unknown, ...call }: Called & { readonly unknown: string | undefined }): string {
  return `${unknown === undefined ? "" : `, falls ${unknown} ein Token ist`}${alongWords(call)}`;
}

export const callWords: typeof English = {
  nativeTransfer: ({ by, amount, from, to, chain }) =>
    `${SENDS[by]} ${amount} von ${dative(from)} an ${accusative(to)} auf ${chain}`,
  tokenTransfer: ({ amount, from, to, ...call }) =>
    `${SENDS[call.by]} ${amount} von ${dative(from)} an ${accusative(to)} auf ${call.chain}${endWords(call)}`,
  tokenAllowance: ({ spender, amount, adds, owner, ...call }) =>
    `${ALLOWS[call.by]} ${dative(spender)}, auf ${call.chain} ${adds ? "zusätzlich " : ""}${amount} von ${
      dative(owner)
    } auszugeben${endWords(call)}`,
  itemTransfer: ({ items, collection, from, to, ...call }) =>
    `${SENDS[call.by]} ${items} aus ${dative(collection)} von ${dative(from)} an ${accusative(to)} ` +
    `auf ${call.chain}, falls das eine Sammlung ist${alongWords(call)}`,
  itemApproval: ({ approved, operator, collection, owner, ...call }) =>
    `${(approved ? ALLOWS : FORBIDS)[call.by]} ${dative(operator)}, auf ${call.chain} ${
      approved ? "jedes" : "irgendein"
    } Stück aus ${dative(collection)} zu nehmen, das ${nominative(owner)} hat, falls das eine Sammlung ist${
      alongWords(call)
    }`,
  unknownCall: ({ by, selector, contract, chain, amount, count }) =>
    `${CALLS[by]} ${
      selector === undefined ? accusative(contract) : `die Funktion ${selector} von ${dative(contract)}`
    } auf ${chain} mit ${amount} und ${count} Bytes auf. Was das bewirkt, ist hier nicht bekannt`,
  creation: ({ count, creator, chain, amount }) =>
    `Sie erzeugen mit ${dative(creator)} auf ${chain} einen neuen Vertrag aus ${count} Bytes Code ` +
    `und geben ihm ${amount}. Was der Code bewirkt, ist hier nicht bekannt`,
  transaction: ({ what, fee, delegates }) =>
    `${what}. Gas kostet höchstens ${fee}.${
      delegates === undefined
        ? ""
        : ` Die Transaktion enthält außerdem Ermächtigungen von Konten, den Code von ${delegates} auszuführen.`
    }`,
  delegation: ({ account, code, chain, nonce }) =>
    `${
      code === undefined
        ? `Sie lassen ${
          accusative(account)
        } auf ${chain} nicht länger den Code eines anderen Vertrags ausführen`
        : `Sie lassen ${accusative(account)} auf ${chain} den Code von ${
          dative(code)
        } als seinen eigenen ausführen; der kann dann alles mit dem Konto tun`
    }. Umsetzen kann das jeder, solange die Nonce des Kontos ${nonce} ist.`,
};
