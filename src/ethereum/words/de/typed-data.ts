import type { typedDataWords as English } from "../en/typed-data.ts";
import { accusative, dative, nominative } from "./party.ts";

export const typedDataWords: typeof English = {
  erc20Permit: ({ spender, amount, owner, chain, until }) =>
    `Sie erlauben ${dative(spender)}, auf ${chain} ${amount} von ${dative(owner)} auszugeben. ` +
    `Einlösbar ist der Permit bis ${until}; die Erlaubnis bleibt danach, bis sie aufgebraucht oder geändert wird.`,
  daiPermit: ({ spender, amount, owner, chain, until }) =>
    `Sie erlauben ${dative(spender)}, auf ${chain} ${amount} von ${dative(owner)} auszugeben. ` +
    `Einlösbar ist der Permit ${
      until === undefined ? "jederzeit" : `bis ${until}`
    }; die Erlaubnis bleibt danach, bis sie geändert wird.`,
  permit2Part: ({ amount, until }) => `${amount} ${until}`,
  permit2Allowance: ({ spender, amount, owner, chain, until }) =>
    `Sie erlauben ${dative(spender)}, auf ${chain} über Permit2 von ${
      dative(owner)
    } auszugeben: ${amount}. ` +
    `Einlösbar ist der Permit bis ${until}.`,
  permit2Transfer: ({ spender, amount, owner, chain, until }) =>
    `Sie erlauben ${dative(spender)}, auf ${chain} ${amount} von ${dative(owner)} zu nehmen ` +
    `und zu senden, wohin auch immer: einmal, über Permit2, bis ${until}.`,
  withWitness: ({ sentence, type }) =>
    `${sentence} Gebunden ist es an das, was „${type}“ unten sagt; das wird hier nicht verstanden.`,
  transferAuthorization: ({ amount, from, to, chain, who, after, before }) =>
    `Sie senden ${amount} von ${dative(from)} an ${accusative(to)} auf ${chain}. Ausführen kann das ${
      who === "recipient" ? "nur der Empfänger" : "jeder"
    }, einmal; ${after === undefined ? "" : `gültig nach: ${after}, `}gültig vor: ${before}.`,
  authorizationCancellation: ({ nonce, authorizer, token, chain }) =>
    `Sie widerrufen die Ermächtigung ${nonce} von ${dative(authorizer)} bei ${dative(token)} auf ${chain}; ` +
    "ihre Überweisung lässt sich dann nicht mehr ausführen.",
  seaportOrder: ({ gives, offerer, chain, back, elsewhere, zone, start, end }) =>
    `Sie geben ${gives} von ${dative(offerer)} auf ${chain}; dafür ${back}${
      elsewhere === undefined ? "" : `; an andere muss gehen: ${elsewhere}`
    }. ${
      zone === undefined ? "Jeder kann" : `Wen die Zone ${zone} lässt, der kann`
    } den Auftrag annehmen, ab ${start} und bis ${end}.`,
  mustComeBack: ({ items }) => `muss zurückkommen: ${items}`,
  nothingBack: "kommt nichts zurück",
  mustGoTo: ({ items, to }) => `${items} an ${accusative(to)}`,
  fromFirstToLast: ({ first, last }) => `${first} am Anfang bis ${last} am Ende`,
  orderItem: ({ which, id, collection, count }) => {
    const many = count === undefined
      ? ""
      : count.first === count.last
      ? `${count.first} von `
      : `${count.first} bis ${count.last} von `;
    const what =
      { one: `Stück ${id}`, any: "irgendein Stück", certain: "eines von bestimmten Stücken" }[which];
    return `${many}${what} von ${collection}`;
  },
  userOperation: ({ nonce, account, chain, isSetUp, called, paymaster, cost }) =>
    `Sie führen die User Operation ${nonce} mit ${dative(account)} als Konto auf ${chain} aus${
      isSetUp ? ", wobei das Konto zuerst eingerichtet wird" : ""
    }: ${called}, und was das bewirkt, ist hier nicht bekannt. Für Gas zahlt ${
      paymaster === undefined ? "das Konto" : `der Zahlmeister (Paymaster) ${nominative(paymaster)}`
    } höchstens ${cost}.`,
  nothingCalled: "nichts wird aufgerufen",
  calledWithBytes: ({ count }) => `es wird mit ${count} Bytes aufgerufen`,
  calledFunction: ({ selector, count }) => `seine Funktion ${selector} wird mit ${count} Bytes aufgerufen`,
  unknownTypedData: ({ primaryType, contract, chain }) =>
    `Sie signieren typisierte Daten „${primaryType}“ für ${
      contract === undefined ? "keinen Vertrag," : accusative(contract)
    } auf ${chain}. Was sie bewirken, ist hier nicht bekannt: Lesen Sie alles.`,
};
