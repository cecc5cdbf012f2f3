import type { en } from "./messages.en.ts";

export const de: typeof en = {
  cow: "CoW-Auftrag",
  oneInch: "1inch-Auftrag",
  votesName: "Stimmrechte",
  aave: "Aave V3",
  wrapped: "verpackte Währung",
  exchange: "Auftrag zum Tausch von Token",
  cowOrder:
    "Auftrag der Art {kind}: {sellAmount} und {feeAmount} als Gebühr gegen {buyAmount}, die dieser Empfänger bekommt: " +
    "{receiver}, bis {validTo}",
  oneInchOrder:
    "Auftrag über {makingAmount}, die {maker} gibt, gegen {takingAmount} oder gegen das, was seine Erweiterung festlegt, " +
    "wenn in den Merkmalen {makerTraits} das Bit 249 gesetzt ist (eine Erweiterung). Was dafür kommt, erhält: {receiver} " +
    "(null steht für den Auftraggeber)",
  letVote: "Stimmrechte übertragen",
  letVoteUntil:
    "Abstimmen darf {delegatee} mit allem, was dieser Schlüssel von dem Token hat. Einlösbar ist das bis {expiry}",
  lend: "Verleihen",
  lendFor: "Verleihen von {amount}; gutgeschrieben bekommt es {onBehalfOf}",
  takeBack: "Zurückholen",
  takeBackTo: "Zurückholen von {amount}; Empfänger ist {to}",
  borrow: "Kredit aufnehmen",
  borrowAt: "Kredit aufnehmen über {amount}, der Zins ist {interestRateMode}; die Schuld trägt {onBehalfOf}",
  wrap: "Verpacken",
  wrapAmount: "Verpacken von {@.value}",
  unwrap: "Auspacken",
  unwrapAmount: "Auspacken von {amount}",
  amount: "Betrag",
  all: "alle",
  debtor: "Schuldner",
  encrypted: "verschlüsselt",
  fee: "Gebühr",
  gets: "Bekommt",
  gives: "Gibt",
  inNameOf: "Im Namen von",
  kind: "Art",
  maker: "Auftraggeber",
  rate: "Zins",
  sentTo: "Gesendet an",
  stable: "stabil",
  traits: "Merkmale",
  unlimited: "unbegrenzt",
  until: "Bis",
  usableUntil: "Einlösbar bis",
  variable: "variabel",
  votes: "Stimmt ab",
};
