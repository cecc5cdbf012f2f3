import type { Bound, Subject, warningWords as English } from "../en/warnings.ts";
import { dative } from "./party.ts";

const SUBJECTS: Readonly<Record<Subject, string>> = {
  account: "Das Konto",
  authorizer: "Der Ermächtigende",
  code: "Der Code von",
  collection: "Die Sammlung",
  contract: "Der Vertrag",
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
};

export const warningWords: typeof English = {
  notThisKey: ({ what, address, signer }) =>
    `${SUBJECTS[what]} ${address} ist nicht dieser Schlüssel (${signer})`,
  unknownContract: ({ what, address }) => `${SUBJECTS[what]} ${address} ist hier nicht bekannt`,
  unknownChain: ({ chainId }) => `Chain ${chainId} gehört nicht zu denen, die hier bekannt sind`,
  unknownDelegate: ({ address }) => `${address} gehört nicht zum Code, der hier dafür bekannt ist`,
  hasPassed: ({ what, at }) => `${TIMES[what]} ist vorbei: ${at}`,
  overYearAway: ({ what, at }) => `${TIMES[what]} ist mehr als ein Jahr entfernt: ${at}`,
  overMonthAway: ({ what, at }) => `${TIMES[what]} ist mehr als 30 Tage entfernt: ${at}`,
  permitForEver: "Der Permit lässt sich für immer einlösen",
  maySpend: ({ spender, amount }) => `${spender} darf ${amount} ausgeben`,
  mayTake: ({ spender, amount }) => `${spender} darf ${amount} nehmen`,
  mayTakeItems: ({ operator, collection }) =>
    `${operator} darf jedes Stück von ${collection} nehmen, jetzt und später`,
  runsForeignCode: ({ code }) => `Der Safe führt den Code von ${dative(code)} als seinen eigenen aus`,
  paysUnmeasuredGas: ({ receiver, fixed }) =>
    `Der Safe zahlt ${
      receiver === undefined ? "dem, der sie ausführt," : dative(receiver)
    } bis zu ${fixed} für Gas, das niemand misst`,
  unreadArguments: ({ signature }) =>
    `Die Funktion ist ${signature}, und was folgt, sind nicht genau ihre Argumente: ` +
    "Der Vertrag kann sie trotzdem ausführen",
  givesAway: ({ back }) => `Der Auftrag gibt etwas weg; dafür ${back}`,
  siteIsNotHost: ({ domain, uri }) => `Die Website ${domain} ist nicht der Host der URI ${uri}`,
  siteIsNotAsking: ({ domain, asking }) => `Die Website ${domain} ist nicht die, die bittet: ${asking}`,
  listedCapabilities:
    "Das ist mehr als eine Anmeldung: Wem die URI gehört, der darf im Namen des Kontos tun, was aufgeführt ist",
  unreadCapabilities:
    "Das ist mehr als eine Anmeldung: Sie lässt den, dem die URI gehört, etwas tun, das sich hier nicht lesen lässt",
  allChains: "Gültig auf jeder Chain, auf der das Konto diese Nonce hat",
  lookAgain: ({ reason }) => `Sehen Sie diese Bytes noch einmal an: ${reason}`,
  noContract: "Es ist an keinen Vertrag gebunden: Jedes Programm kann es für seines nehmen",
  highFee: ({ fee }) => `Gas kann ${fee} kosten`,
};
