// The German sentences on what is signed. One catalogue holds a language, so the file is longer than others.

import type { Actor, Party } from "./party.ts";
import { formatLongDate } from "../lib/date-time.ts";
import { toIso } from "../lib/time.ts";
import type { Bound, Change, en, NotUnderstood, Payment, Subject } from "./messages.en.ts";

/** The cases that sentences use. Names of tokens and contracts do not change with the case. */
type Case = "nominative" | "dative" | "accusative";

const THIS_KEY: Readonly<Record<Case, string>> = {
  nominative: "dieser Schlüssel",
  dative: "diesem Schlüssel",
  accusative: "diesen Schlüssel",
};

const YOUR_KEY: Readonly<Record<Case, string>> = {
  nominative: "Ihr Schlüssel",
  dative: "Ihrem Schlüssel",
  accusative: "Ihren Schlüssel",
};

function partyIn(which: Case, party: Party): string {
  switch (party.is) {
    case "this_key":
      return `${THIS_KEY[which]} (${party.address})`;
    case "own_key":
      return `${YOUR_KEY[which]} „${party.label}“ (${party.address})`;
    case "known":
      return `${party.name} (${party.address})`;
    case "unnamed":
      return party.address;
  }
}

/** Formats a subject, or a value by itself: wer? */
function nominative(party: Party): string {
  return partyIn("nominative", party);
}

/** Formats after von and bei, and the recipient of a permission: wem? */
function dative(party: Party): string {
  return partyIn("dative", party);
}

/** Formats after an and für: wen? */
function accusative(party: Party): string {
  return partyIn("accusative", party);
}

/** The verb of the actor: the signer, or the account that the sentence names. */
const SENDS: Readonly<Record<Actor, string>> = { you: "Sie senden", account: "Es sendet" };

const ALLOWS: Readonly<Record<Actor, string>> = { you: "Sie erlauben", account: "Es erlaubt" };

const FORBIDS: Readonly<Record<Actor, string>> = { you: "Sie verbieten", account: "Es verbietet" };

const CALLS: Readonly<Record<Actor, string>> = { you: "Sie rufen", account: "Es ruft" };

const TAKES_BACK: Readonly<Record<Actor, string>> = { you: "Sie nehmen", account: "Es nimmt" };

const EXCHANGES: Readonly<Record<Actor, string>> = { you: "Sie tauschen", account: "Es tauscht" };

const LETS: Readonly<Record<Actor, string>> = { you: "Sie lassen", account: "Es lässt" };

const CARRIES_OUT: Readonly<Record<Actor, string>> = { you: "Sie führen aus", account: "Es führt aus" };

const CHANGES: Readonly<Record<Change, (amount: string) => string>> = {
  sets: (amount) => amount,
  adds: (amount) => `zusätzlich ${amount}`,
  takes: (amount) => `um ${amount} weniger`,
};

const NOT_UNDERSTOOD: Readonly<Record<NotUnderstood, (at: string) => string>> = {
  call: (at) => `Was der Aufruf von ${at} bewirkt, ist hier nicht bekannt`,
  typed_data: (at) => `Was bei ${at} mit diesen typisierten Daten geschieht, ist hier nicht bekannt`,
  standard: (at) =>
    `Das hat den Typ eines Standards und ist nicht genau einer: Bei ${at} kann es trotzdem gelten`,
  bytes: () => "Was diese Bytes bedeuten, ist hier nicht bekannt",
  hash: () => "Das kann der Hash von etwas anderem sein, das alles tun kann, was dieser Schlüssel kann",
  code: () => "Was der Code des neuen Vertrags bewirkt, ist hier nicht bekannt",
  rest: () => "Es sind zu viele Aufrufe in Aufrufen: Nicht alle werden hier gelesen",
};

const PAYMENTS: Readonly<Record<Payment, string>> = {
  at_least: "alles, mindestens",
  exactly: "",
  share: "",
  wrapped: "verpackte Währung von mindestens",
};

interface Called {
  readonly by: Actor;
  readonly along: string | undefined;
}

function byAndValue({ by, along }: Called): string {
  return along === undefined ? "" : `, und ${by === "you" ? "senden" : "sendet"} dem Vertrag ${along} mit`;
}

function callEnding({ unknown, ...call }: Called & { readonly unknown: string | undefined }): string {
  return `${unknown === undefined ? "" : `, falls ${unknown} ein Token ist`}${byAndValue(call)}`;
}

/** Formats the subject of a change: the account that the sentence names, or a key that may run a Safe's code. */
function changing(key: Party | undefined): string {
  if (key === undefined) return "Es";
  const name = nominative(key);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}, falls er den Code eines Safe ausführt,`;
}

function hint(mayBeHash: boolean): string {
  return mayBeHash
    ? " 32 Bytes können der Hash einer User Operation oder der Transaktion eines Safe sein."
    : "";
}

const SUBJECTS: Readonly<Record<Subject, string>> = {
  account: "Das Konto",
  authorizer: "Der Ermächtigende",
  code: "Der Code von",
  collection: "Die Sammlung",
  contract: "Der Vertrag",
  delegate: "Der Code",
  fallback_handler: "Der Fallback-Handler",
  guard: "Der Wächter",
  holder: "Der Inhaber",
  module: "Das Modul",
  offerer: "Der Anbieter",
  operator: "Der Verwalter",
  owner: "Der Eigentümer",
  sender: "Der Absender",
  spender: "Der Bevollmächtigte",
  token: "Das Token",
};

const TIMES: Readonly<Record<Bound, string>> = {
  permit_end: "Die letzte Zeit, zu der sich der Permit einlösen lässt,",
  allowance_end: "Das Ende der Erlaubnis",
  start: "Der Anfang",
  end: "Das Ende",
  order_start: "Der Anfang des Auftrags",
  order_end: "Das Ende des Auftrags",
  sign_in_start: "Der Anfang der Anmeldung",
  sign_in_end: "Das Ende der Anmeldung",
  operation_end: "Das Ende der Operation",
  request_end: "Das Ende der Anfrage",
};

/** The German catalogue. It tells the user the effect of the signature: Sie erlauben, Sie senden. */
export const de: typeof en = {
  party: ({ party }) => nominative(party),
  quote: ({ text }) => `„${text}“`,
  dateTime: ({ seconds }) => {
    const at = Number(seconds) * 1000;
    return `${formatLongDate("de", at)}, ${toIso(at).slice(11, 19)} UTC`;
  },
  afterAllYears: "irgendwann nach dem Jahr 9999",
  untilDateTime: ({ at }) => `bis ${at}`,
  inOneBlock: "in dem einen Block, in dem der Permit eingelöst wird",
  forEver: "für immer",
  anyChain: "jeder beliebigen Chain",
  everyChain: "jeder Chain",
  chainById: ({ chainId }) => `Chain ${chainId}`,
  ofUnknownCurrency: ({ amount, chainId }) => `${amount} der Währung von Chain ${chainId}`,
  unlimited: ({ symbol }) => `unbegrenzt ${symbol}`,
  units: ({ amount, address }) => `${amount} Einheiten von ${address} (Dezimalstellen unbekannt)`,
  unlimitedUnits: ({ address }) => `unbegrenzt viele Einheiten von ${address} (Dezimalstellen unbekannt)`,
  upTo: ({ amount }) => `bis zu ${amount}`,
  orItem: ({ amount, id }) => `${amount}, oder dessen Stück ${id}`,
  item: ({ id }) => `Stück ${id}`,
  someOfItem: ({ amount, id }) => `${amount} von Stück ${id}`,
  everyItem: "jedes Stück, jetzt und später",
  none: "keines",
  bytes: ({ count }) => `${count} Bytes`,
  parts: ({ texts, numbers, more }) =>
    [
      ...texts.map((text, index) => `(${numbers[index]}) ${text.replace(/\.$/, "")}`),
      ...(more === 0 ? [] : [`${more} weitere stehen unten`]),
    ].join(". "),
  partLabel: ({ number }) => `Aufruf ${number}`,
  list: ({ parts, more }) => {
    const all = more === 0 ? parts : [...parts, `${more} weitere, die unten stehen`];
    return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} und ${all.at(-1)}`;
  },
  account: "Konto",
  allowedUntil: "Erlaubt bis",
  amountLabel: "Betrag",
  authorizer: "Ermächtigt von",
  behindArguments: "Hinter den Argumenten",
  boundTo: "Gebunden an",
  bytesLabel: "Bytes",
  call: "Aufruf",
  callsItself: "Nennt sich",
  chain: "Chain",
  code: "Code",
  codeOf: "Code von",
  collection: "Sammlung",
  comesBack: "Kommt zurück",
  contract: "Vertrag",
  data: "Daten",
  digest: "Digest",
  fallbackHandler: "Fallback-Handler",
  from: "Von",
  gasFixed: "Zahlt für Gas, wie wenig auch verbraucht wird",
  gasMost: "Gas kostet höchstens",
  gets: "Erhält",
  gives: "Gibt",
  goesElsewhere: "Geht anderswohin",
  guard: "Wächter",
  holder: "Inhaber",
  issuedAt: "Ausgestellt",
  itemLabel: "Stück",
  lessBy: "Weniger um",
  letsOwner: "Erlaubt dem Inhaber der URI",
  module: "Modul",
  moreBy: "Mehr um",
  newOwner: "Neuer Eigentümer",
  nonce: "Nonce",
  notBefore: "Nicht vor",
  offerer: "Anbieter",
  oldOwner: "Entfernter Eigentümer",
  operator: "Verwalter",
  owner: "Eigentümer",
  request: "Anfrage",
  resource: "Ressource",
  safe: "Safe",
  sentAlong: "Mitgesendet",
  setUpBy: "Eingerichtet durch",
  signaturesAsked: "Verlangte Signaturen",
  site: "Website",
  spender: "Bevollmächtigter",
  start: "Ab",
  statement: "Erklärung",
  textLabel: "Text",
  to: "An",
  token: "Token",
  transactionLabel: "Transaktion",
  until: "Bis",
  uri: "URI",
  usableUntil: "Einlösbar bis",
  validAfter: "Gültig nach",
  validBefore: "Gültig vor",
  validUntil: "Gültig bis",
  version: "Version",

  byDaiPermit: "dem Permit von DAI",
  byNothing: "nichts",
  byTransaction: "der Transaktion selbst",
  byCollections: "ERC-721 und ERC-1155",
  byDescriptor: ({ name }) => `ERC-7730: ${name}`,
  erc20Permit: ({ spender, amount, owner, chain, until }) =>
    `Sie erlauben ${dative(spender)}, auf ${chain} ${amount} von ${dative(owner)} auszugeben. ` +
    `Einlösbar ist der Permit bis ${until}; die Erlaubnis bleibt danach, bis sie aufgebraucht oder geändert wird.`,
  daiPermit: ({ spender, amount, owner, chain, until }) =>
    `Sie erlauben ${dative(spender)}, auf ${chain} ${amount} von ${dative(owner)} auszugeben. ` +
    `Einlösbar ist der Permit ${
      until === undefined ? "jederzeit" : `bis ${until}`
    }; die Erlaubnis bleibt danach, bis sie geändert wird.`,
  takeBackPermit: ({ spender, token, owner, chain, until }) =>
    `Sie nehmen zurück, was ${nominative(spender)} auf ${chain} von ${dative(token)} ausgeben darf, das ${
      nominative(owner)
    } hat. Einlösbar ist der Permit ${until === undefined ? "jederzeit" : `bis ${until}`}.`,
  permit2Part: ({ amount, until }) => `${amount} ${until}`,
  permit2Allowance: ({ spender, amount, owner, chain, until }) =>
    `Sie erlauben ${dative(spender)}, auf ${chain} über Permit2 von ${
      dative(owner)
    } auszugeben: ${amount}. ` +
    `Einlösbar ist der Permit bis ${until}.`,
  permit2Transfer: ({ spender, amount, owner, chain, until, witness }) =>
    `Sie erlauben ${dative(spender)}, auf ${chain} ${amount} von ${dative(owner)} zu nehmen ` +
    `und beliebig wohin zu senden, einmal, über Permit2, bis ${until}.${
      witness === undefined
        ? ""
        : ` Gebunden ist es an das, was „${witness}“ unten sagt; das wird hier nicht verstanden.`
    }`,
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
      zone === undefined ? "Jeder kann" : `Nur Konten, die die Zone ${zone} zulässt, können`
    } den Auftrag annehmen, ab ${start} und bis ${end}.`,
  orders: ({ orders }) => `Sie signieren Aufträge, von denen jeder für sich gilt: ${orders}.`,
  unreadOrder: ({ offerer }) =>
    `Sie geben etwas von ${dative(offerer)} in einem Auftrag, der hier nicht bekannt ist`,
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
  userOperation: ({ nonce, account, chain, isSetUp, what, paymaster, cost }) =>
    `Sie führen die User Operation ${nonce} mit ${dative(account)} als Konto auf ${chain} aus${
      isSetUp ? ", wobei das Konto zuerst eingerichtet wird" : ""
    }: ${what}. Für Gas zahlt ${
      paymaster === undefined ? "das Konto" : `der Zahlmeister (Paymaster) ${nominative(paymaster)}`
    } höchstens ${cost}.`,
  nothingCalled: "nichts wird aufgerufen",
  forwardRequest: ({ forwarder, from, chain, what, until }) =>
    `Sie lassen jeden einmal über ${accusative(forwarder)} im Namen von ${
      dative(from)
    } auf ${chain} ausführen${until === undefined ? "" : `, bis ${until}`}: ${what}.`,
  forAccount: ({ account, sentence }) => `Für das Konto ${nominative(account)}: ${sentence}`,
  unknownTypedData: ({ primaryType, contract, chain }) =>
    `Sie signieren typisierte Daten „${primaryType}“ für ${
      contract === undefined ? "keinen Vertrag," : accusative(contract)
    } auf ${chain}. Was sie bewirken, ist hier nicht bekannt: Lesen Sie alles.`,
  nativeTransfer: ({ by, amount, from, to, chain }) =>
    `${SENDS[by]} ${amount} von ${dative(from)} an ${accusative(to)} auf ${chain}`,
  tokenTransfer: ({ amount, from, to, ...call }) =>
    `${SENDS[call.by]} ${amount} von ${dative(from)} an ${accusative(to)} auf ${call.chain}${
      callEnding(call)
    }`,
  tokenAllowance: ({ spender, amount, change, owner, permit2, ...call }) =>
    `${ALLOWS[call.by]} ${dative(spender)}, auf ${call.chain} ${CHANGES[change](amount)} von ${
      dative(owner)
    } auszugeben${permit2 === undefined ? "" : `, über Permit2, ${permit2}`}${callEnding(call)}`,
  takeBack: ({ by, spender, token, owner, chain }) =>
    `${TAKES_BACK[by]} zurück, was ${nominative(spender)} auf ${chain} von ${
      dative(token)
    } ausgeben darf, das ${nominative(owner)} hat`,
  carryOut: ({ account, calls, ...call }) =>
    account === undefined
      ? `${CARRIES_OUT[call.by]}${byAndValue(call)}: ${calls}`
      : `${LETS[call.by]} ${accusative(account)} ausführen${byAndValue(call)}: ${calls}`,
  giveControl: ({ contract, to, ...call }) =>
    `${LETS[call.by]} ${accusative(to)} auf ${call.chain} ${accusative(contract)} beherrschen${
      byAndValue(call)
    }`,
  swap: ({ by, gives, gets, from, to, chain }) =>
    `${EXCHANGES[by]} bis zu ${gives} von ${dative(from)} gegen mindestens ${gets} für ${
      accusative(to)
    } auf ${chain}`,
  payment: ({ by, kind, amount, from, to, chain }) =>
    `${SENDS[by]} ${PAYMENTS[kind]} ${amount} von ${dative(from)} an ${accusative(to)} auf ${chain}`
      .replace("  ", " "),
  share: ({ percent, token }) => `${percent}% von ${dative(token)}`,
  unknownCommand: ({ code }) => `Sie führen den Befehl ${code} aus. Was das bewirkt, ist hier nicht bekannt`,
  itemTransfer: ({ items, collection, from, to, ...call }) =>
    `${SENDS[call.by]} ${items} aus ${dative(collection)} von ${dative(from)} an ${accusative(to)} ` +
    `auf ${call.chain}, falls das eine Sammlung ist${byAndValue(call)}`,
  itemApproval: ({ approved, operator, collection, owner, ...call }) =>
    `${(approved ? ALLOWS : FORBIDS)[call.by]} ${dative(operator)}, auf ${call.chain} ${
      approved ? "jedes" : "irgendein"
    } Stück aus ${dative(collection)} zu nehmen, das ${nominative(owner)} hat, falls das eine Sammlung ist${
      byAndValue(call)
    }`,
  unknownCall: ({ by, selector, contract, chain, amount, count }) =>
    `${CALLS[by]} ${
      selector === undefined ? accusative(contract) : `die Funktion ${selector} von ${dative(contract)}`
    } auf ${chain} mit ${amount} und ${count} Bytes auf. Was das bewirkt, ist hier nicht bekannt`,
  followedBy: ({ sentence, ofAll, count, attribution }) =>
    `${sentence}, ${ofAll ? "das Ganze " : ""}gefolgt von ${
      attribution === undefined
        ? `${count} Bytes, die kein Argument sind`
        : `der Zuordnung „${attribution}“ (ERC-8021)`
    }`,
  creation: ({ count, creator, chain, amount }) =>
    `Sie erzeugen mit ${dative(creator)} auf ${chain} einen neuen Vertrag aus ${count} Bytes Code ` +
    `und geben ihm ${amount}. Was der Code bewirkt, ist hier nicht bekannt`,
  transaction: ({ what, fee, delegates, hasDataFee }) =>
    `${what}. Gas kostet höchstens ${fee}${hasDataFee ? "; eine Gebühr für Daten kommt dazu" : ""}.${
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
  safeTransaction: ({ safe, chain, nonce, what, refund }) =>
    `Sie stimmen für das Safe-Konto ${safe} auf ${chain} seiner Transaktion ${nonce} zu: ${what}.${
      refund === undefined ? "" : ` ${refund}`
    }`,
  delegateCall: ({ by, code, count }) =>
    `${CARRIES_OUT[by].replace(" aus", "")} den Code von ${
      dative(code)
    } als eigenen aus, mit ${count} Bytes. ` +
    "Das kann alles mit dem Konto tun, und was es tut, ist hier nicht bekannt",
  gasRefund: ({ receiver, fixed, price }) =>
    `Außerdem zahlt der Safe ${
      receiver === undefined ? "dem Konto, das sie ausführt," : dative(receiver)
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
    `${changing(key)} ersetzt den Eigentümer ${accusative(old)} durch ${accusative(owner)}`,
  changeThreshold: ({ key, threshold }) => `${changing(key)} verlangt ${threshold} Signaturen`,
  setGuard: ({ key, guard }) =>
    `${changing(key)} lässt den Wächter ${nominative(guard)} entscheiden, was geschehen darf`,
  setFallbackHandler: ({ key, handler }) =>
    `${changing(key)} verwendet ${accusative(handler)} als Fallback-Handler`,
  textMessage: ({ text, mayBeHash }) => `Sie signieren den Text ${text}.${hint(mayBeHash)}`,
  bytesMessage: ({ count, mayBeHash }) =>
    count === 0
      ? "Sie signieren eine leere Nachricht. Sie sagt nichts."
      : `Sie signieren ${count} Bytes als Nachricht. Ihre Bedeutung lässt sich nicht zeigen.${
        hint(mayBeHash)
      }`,
  rawBytes: ({ count }) =>
    `Sie signieren den Hash von ${count} Bytes. Ihre Bedeutung lässt sich nicht zeigen.`,
  bareDigest: "Sie signieren 32 Bytes, wie sie sind. Ihre Bedeutung lässt sich nicht zeigen.",
  signIn: ({ domain, account, until }) =>
    `Sie melden sich bei ${domain} als ${
      account === undefined ? "dieser Schlüssel" : nominative(account)
    } an${until === undefined ? "" : `, gültig bis ${until}`}.`,
  abilitiesAt: ({ abilities, resource }) => `${abilities} bei ${resource}`,

  rlpList: "Es ist eine RLP-Liste, wie eine Transaktion der alten Form",
  typedEnvelope:
    "Es ist ein Byte bis 0x7f und eine RLP-Liste, wie eine typisierte Transaktion oder eine Ermächtigung (EIP-2718, EIP-7702)",
  typedPrefix:
    "Am Anfang steht 0x01 bis 0x05, wie bei einer typisierten Transaktion oder einer Ermächtigung (EIP-2718, EIP-3074, EIP-7702)",
  validatorData: "Am Anfang steht 0x1900, wie bei Daten für einen Prüfer (EIP-191)",
  typedDataPrefix: "Am Anfang steht 0x1901, wie bei typisierten Daten (EIP-712)",
  personalMessagePrefix: "Am Anfang steht 0x19, wie bei einer Nachricht (EIP-191)",
  userOperationHash: "Angeordnet ist es wie das, woraus der Hash einer User Operation entsteht (ERC-4337)",
  conflux: "Es ist „cfx“, ein Byte und eine RLP-Liste, wie eine Transaktion von Conflux (CIP-1559)",
  cosmosSignDoc: "Am Anfang ist es wie das Protobuf einer Transaktion von Cosmos (SignDoc)",
  cosmosJson: "Am Anfang ist es wie das JSON einer Transaktion von Cosmos (StdSignDoc)",
  each: ({ de }) => de,
  several: ({ parts }) => parts.join(", "),
  joined: ({ parts }) => parts.join(""),
  summary: ({ intent, values }) => [intent, values.join("; ")].filter(Boolean).join(": "),
  labelled: ({ label, value }) => `${label}: ${value}`,
  nothing: "nichts",
  blockHeight: ({ height }) => `Block ${height}`,
  atChain: ({ party, chain }) => `${nominative(party)} auf ${chain}`,
  itemOf: ({ id, collection }) => `Stück ${id} von ${dative(collection)}`,
  unitsOfUnknownToken: ({ amount }) => `${amount} Einheiten eines Token, das nicht genannt ist`,
  mostOf: ({ message, symbol }) => `${message} ${symbol}`,
  mostOfUnknown: ({ message, address }) => `${message} Einheiten von ${address} (Dezimalstellen unbekannt)`,
  describedDocument: ({ sentence, contract, chain }) =>
    `${sentence}. Für ${accusative(contract)} auf ${chain}.`,
  describedCall: ({ sentence, contract, chain, amount }) =>
    `${sentence}. Durch ${accusative(contract)} auf ${chain}, mit ${amount}`,
  notThisKey: ({ what, address, signer }) =>
    `${SUBJECTS[what]} ${address} ist nicht dieser Schlüssel (${signer})`,
  unknownContract: ({ what, address }) => `${SUBJECTS[what]} ${address} ist hier nicht bekannt`,
  unknownChain: ({ chainId }) => `Chain ${chainId} gehört nicht zu denen, die hier bekannt sind`,
  notUnderstood: ({ what, contract }) =>
    NOT_UNDERSTOOD[what](contract === undefined ? "irgendeinem Programm" : dative(contract)),
  anyoneMaySpend: ({ what, address }) =>
    `${SUBJECTS[what]} ${address} tut, worum ihn jeder bittet: Alle können diese Erlaubnis nutzen`,
  controlChange: ({ what, address }) => `${SUBJECTS[what]} ${address} ändert, wer das Konto beherrscht`,
  signaturesRequired: ({ threshold }) =>
    threshold === "1"
      ? "Eine Signatur (1) genügt dann für alles, was das Konto kann"
      : `Das Konto verlangt dann ${threshold} Signaturen`,
  nothingReturns: "Es wird etwas gegeben, und nichts davon kommt auf das Konto zurück",
  hasPassed: ({ what, at }) => `${TIMES[what]} ist vorbei: ${at}`,
  overYearAway: ({ what, at }) => `${TIMES[what]} ist mehr als ein Jahr entfernt: ${at}`,
  overMonthAway: ({ what, at }) => `${TIMES[what]} ist mehr als 30 Tage entfernt: ${at}`,
  permitForEver: "Der Permit lässt sich für immer einlösen",
  maySpend: ({ spender, amount }) => `${spender} darf ${amount} ausgeben`,
  mayTake: ({ spender, amount }) => `${spender} darf ${amount} nehmen`,
  mayTakeItems: ({ operator, collection }) =>
    `${operator} darf jedes Stück von ${collection} nehmen, jetzt und später`,
  runsForeignCode: ({ account, code }) =>
    `Das Konto ${nominative(account)} führt den Code von ${dative(code)} als seinen eigenen aus`,
  paysUnmeasuredGas: ({ receiver, fixed }) =>
    `Der Safe zahlt ${
      receiver === undefined ? "dem Konto, das sie ausführt," : dative(receiver)
    } bis zu ${fixed} für Gas, das nicht gemessen wird`,
  unreadArguments: ({ signature }) =>
    `Die Funktion ist ${signature}, aber was folgt, sind nicht genau ihre Argumente: ` +
    "Der Vertrag kann sie trotzdem ausführen",
  givesAway: ({ back }) => `Der Auftrag gibt etwas weg; dafür ${back}`,
  malformedSignIn: ({ site, account }) =>
    `Das sieht aus wie eine Anmeldung bei ${site}${
      account === undefined ? "" : ` als ${nominative(account)}`
    }, ist aber keine: Ein Programm kann es trotzdem annehmen`,
  siteIsNotHost: ({ domain, uri }) => `Die Website ${domain} ist nicht der Host der URI ${uri}`,
  siteIsNotAsking: ({ domain, asking }) => `Die Website ${domain} ist nicht die, die bittet: ${asking}`,
  listedCapabilities:
    "Das ist mehr als eine Anmeldung: Der Inhaber der URI darf im Namen des Kontos tun, was aufgeführt ist",
  unreadCapabilities:
    "Das ist mehr als eine Anmeldung: Sie lässt den Inhaber der URI etwas tun, das sich hier nicht lesen lässt",
  allChains: "Gültig auf jeder Chain, auf der das Konto diese Nonce hat",
  lookAgain: ({ reason }) => `Sehen Sie diese Bytes noch einmal an: ${reason}`,
  noContract: "Es ist an keinen Vertrag gebunden: Jedes Programm kann es als seines annehmen",
  highFee: ({ fee }) => `Gas kann ${fee} kosten`,
};
