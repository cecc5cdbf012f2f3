import type { RuleOutcome } from "./policy.ts";
import type { en } from "./messages.en.ts";

const BEGINNINGS: Readonly<Record<RuleOutcome, string>> = {
  allow: "Darf",
  ask: "Darf, wenn der Eigentümer jedes Mal zustimmt,",
};

function limitsText(limits: readonly string[]): string {
  return limits.length === 0 ? "" : `, wenn gilt: ${limits.join("; ")}`;
}

function spendsText(spends: readonly string[]): string {
  return spends.map((text) => `; ${text}`).join("");
}

/** The descriptions in German. Each act ends in an infinitive, as "Darf" requires. */
export const de: typeof en = {
  rule: ({ outcome, act }) => `${BEGINNINGS[outcome]} ${act}.`,
  either: (texts) =>
    texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} oder ${texts.at(-1)}`,
  noChain: "keiner Chain",
  chain: ({ chainId, name }) => name === undefined ? `Chain ${chainId}` : `${name} (Chain ${chainId})`,
  noContract: "keinen Vertrag",
  knownType: (name) => `typisierte Daten der Art ${name}`,
  unknownType: (hash) => `typisierte Daten vom Typ ${hash}`,
  limit: ({ path, is }) => `${path} ist ${is.join(" und ")}`,
  atMost: (most) => `höchstens ${most}`,
  within: (seconds) => `eine Zeit, die höchstens ${seconds} Sekunden voraus liegt`,
  spend: ({ path, budget, recipient, channel }) =>
    `${path ?? "jede Signatur"} zählt gegen das Budget ${budget}${
      recipient === undefined ? "" : ` des Werts von ${recipient}`
    }${
      channel === undefined
        ? ""
        : `, soweit es den höchsten Betrag übersteigt, der für den Wert von ${channel} signiert wurde`
    }`,
  signIn: ({ domains, chains, hasResources }) =>
    `sich bei ${domains}${chains === undefined ? "" : ` auf ${chains}`} anmelden${
      hasResources ? ", auch mit Ressourcen, die anderen Rechte geben können" : ""
    }`,
  text: "jeden Text signieren, auch Anmeldungen bei jeder Website",
  bytes: "beliebige Bytes als Nachricht signieren, auch Hashes anderer Daten",
  typedData: ({ type, contract, name, version, chain, limits, spends }) => {
    const domain = `${name === undefined ? "" : ` mit dem Namen ${name}`}${
      version === undefined ? "" : ` in Version ${version}`
    }`;
    return `${type} für ${contract}${domain} auf ${chain} signieren${limitsText(limits)}${
      spendsText(spends)
    }`;
  },
  transaction: ({ chain, recipients, data, value, fee, delegates, spends }) =>
    `Transaktionen auf ${chain} ${
      recipients === undefined ? "senden, die einen Vertrag erzeugen" : `an ${recipients} senden`
    }${data}, mit höchstens ${value} und Gebühren von höchstens ${fee}${
      delegates === undefined ? "" : `; sie dürfen Konten ${delegates} ausführen lassen`
    }${spendsText(spends)}`,
  anyRecipient: "beliebige Empfänger",
  anyData: ", mit beliebigen Daten",
  dataOf: (kinds) => `, die ${kinds}`,
  noData: "keine Daten haben",
  calls: (selector) => `${selector} aufrufen`,
  callOf: ({ called, limits }) => `, die ${called} aufrufen${limitsText(limits)}`,
  anyCode: "beliebigen Code",
  codeOf: (delegates) => `den Code von ${delegates}`,
  gives: ({ amount, to, budget }) =>
    `${amount} an ${to ?? "beliebige Empfänger, auch durch Aufträge,"}${
      budget === undefined ? "" : `, gezählt gegen das Budget ${budget}`
    }`,
  upTo: (amount) => `bis zu ${amount}`,
  anyAmountOf: (asset) => `beliebig viel ${asset}`,
  effects: ({ chain, gives, fee }) =>
    `auf ${chain} in jeder Form ${gives.join("; ")} geben; Gas darf höchstens ${fee} kosten`,
  authorization: ({ code, chain }) => `das Konto auf ${chain} ${code} ausführen lassen (EIP-7702)`,
  raw: "beliebige rohe Bytes signieren, die alles sein können, auch Transaktionen",
  digest: "jeden Digest signieren, dessen Bedeutung sich nicht prüfen lässt",
  nothing: "Darf nichts signieren.",
  windows: {
    perMinute: (most) => `${most} in einer Minute`,
    perDay: (most) => `${most} an einem Tag (UTC)`,
    rollingHour: (most) => `${most} in je 60 Minuten`,
    rollingDay: (most) => `${most} in je 24 Stunden`,
    rollingWeek: (most) => `${most} in je 7 Tagen`,
    total: (most) => `${most} insgesamt`,
  },
  signatures: (count) => `${count} Signaturen`,
  signatureLimit: (limit) => `Höchstens ${limit}.`,
  budget: ({ name, isForEach, limits }) =>
    `Das Budget ${name}${isForEach ? ", je Empfänger," : ""} ist ${limits.join(", ")}.`,
  usedOf: ({ used, limit }) => `${used} von ${limit}`,
  usedOfBudget: ({ name, recipient, used }) =>
    `Budget ${name}${recipient === undefined ? "" : `, an ${recipient}`}: ${used}`,
  notAfter: (time) => `Nichts nach ${time}.`,
  locked: "Das lässt sich nie lockern.",
  delay: (hours) => `Eine lockerere Richtlinie gilt erst nach ${hours} Stunden.`,
  nothingElse: "Sonst nichts.",
  asksAlways: "Fragt Sie vor jeder Signatur.",
  asksOtherwise: "Fragt Sie bei allem anderen.",
  reasons: {
    allowed: "Eine Regel der Richtlinie erlaubt das",
    asks: "Die Richtlinie verlangt die Freigabe des Eigentümers",
    asksElsewhere:
      "Die Richtlinie verlangt die Freigabe des Eigentümers: Verwenden Sie /api/keys, das eine offene Anfrage zurückgeben kann",
    free: "Keine Richtlinie begrenzt, was signiert werden darf",
    usedUp: "Die Grenzen der Richtlinie sind aufgebraucht",
    ended: "Die Richtlinie ist abgelaufen",
    tooManyCounts: "Die Richtlinie zählt für so viele Empfänger, wie sie kann",
    tooManySteps: "Das Dokument hat mehr Werte, als die Richtlinie prüfen kann",
    lost: "Die Aufzeichnung, was nach der Richtlinie signiert wurde, ist verloren",
    tokenSignsNot: "Dieses Token darf nicht signieren",
    requesterSignsNot: "Der Anfragende darf mit diesem Schlüssel nicht mehr signieren",
    format: ({ format }) => `Die Richtlinie erlaubt das Format ${format} nicht`,
    noBytes: "Die Richtlinie erlaubt keine Nachrichten aus Bytes",
    noTexts: "Die Richtlinie erlaubt keine Texte außer den Anmeldungen, die sie aufführt",
    noSite: "Die Richtlinie führt keine Anmeldung bei dieser Website auf",
    otherSite: "Die URI der Anmeldung führt zu einer anderen Website",
    signInChain: "Die Anmeldung gilt für eine andere Chain",
    resources: "Die Anmeldung nennt Ressourcen, die anderen Rechte geben können",
    otherChain: "Die Regel gilt für eine andere Chain",
    creation: "Die Transaktion erzeugt einen Vertrag",
    recipient: "Der Empfänger steht nicht in der Liste der Richtlinie",
    selector: "Die aufgerufene Funktion steht nicht in der Liste der Richtlinie",
    notCall: ({ signature }) => `Die Daten sind nicht genau ein Aufruf von ${signature}`,
    foreignCode: "Die Transaktion lässt Konten Code ausführen, den die Richtlinie nicht aufführt",
    accountCode: "Das Konto würde Code ausführen, den die Richtlinie nicht aufführt",
    moreThan: ({ at, most }) => `Der Wert bei ${at} ist mehr als ${most}`,
    noTransactions: "Keine Regel gilt für Transaktionen auf dieser Chain",
    noAuthorizations: "Keine Regel gilt für Ermächtigungen auf dieser Chain",
    noTypedData: "Keine Regel gilt für typisierte Daten dieser Chain und dieses Vertrags",
    otherType: "Die Regel gilt für einen anderen Typ",
    domain: ({ member }) => `${member} der Domain ist nicht, was die Regel verlangt`,
    noSingleValue: ({ at }) => `Bei ${at} steht kein einzelner Wert`,
    notAtMost: ({ at, most }) => `Der Wert bei ${at} ist keine ganze Zahl von 0 bis ${most}`,
    notListed: ({ at }) => `Der Wert bei ${at} steht nicht in der Liste der Richtlinie`,
    notWithin: ({ at, seconds }) =>
      `Der Wert bei ${at} ist keine Zeit, die höchstens ${seconds} Sekunden voraus liegt`,
    noEffects: "Keine Regel deckt die Wirkungen",
    effectsUnknown: "Nicht alle Wirkungen davon sind bekannt",
    moreEffects: "Das tut mehr, als zu geben, was die Regel aufführt",
    feeTooHigh: "Gas kann mehr kosten, als die Regel erlaubt",
    givesMore: ({ most }) => `Das gibt mehr als ${most}`,
    nothingCounted: "Es gibt keinen Betrag, den das Budget zählt",
    noAmount: ({ at }) => `Der Wert bei ${at} ist kein Betrag`,
  },
};
