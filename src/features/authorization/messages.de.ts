import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  consent: {
    title: (name) => `Bei ${name} anmelden`,
    heading: (name) => html`Bei ${name} anmelden?`,
    asks: (name, link, { who, keys }) =>
      html`${name} (${link}) ${who && "fragt, wer Sie sind"}${who && keys && ", und "}${
        keys &&
        "möchte Ihre Schlüssel verwenden"
      }.`,
    claims: (name) =>
      html`Die Anwendung nennt sich ${name}. Das ist ihre eigene Angabe und wurde nicht geprüft.`,
    sees: "Die Anwendung sieht",
    account: "Ihr Konto",
    target: "Danach geht es weiter zu",
    onThisDevice: "auf diesem Gerät",
    noKeys: "Ihre Schlüssel kann sie nicht verwenden.",
    withdraw: "Auf der Seite Ihres Kontos können Sie ihr den Zugang jederzeit entziehen.",
    allow: "Erlauben",
    deny: "Ablehnen",
    otherAccount: "Anderes Konto verwenden",
    keys: {
      already:
        "Die Anwendung hat schon Rechte an Ihren Schlüsseln. Diese kommen mit eigenen Grenzen dazu, wenn Sie die früheren nicht ersetzen.",
      replace: "Ersetzen: die früheren Rechte beenden",
      rules: "Was sie ohne Sie signieren darf",
      danger:
        "Das kann Sie alles kosten, was dem Schlüssel gehört. Kreuzen Sie es nur an, wenn Sie der Anwendung das anvertrauen.",
      signsNothing: "Sie will nichts signieren.",
      which: "Mit welchen Ihrer Schlüssel",
      shown: "Welche Ihrer Adressen sie sieht",
      noneShown: "Sie haben keinen aktiven Schlüssel. Sie sieht keine Adresse.",
      wallets:
        "Sie sieht die Adressen der Schlüssel, die Sie wählen. Verwenden kann sie die Schlüssel damit nicht.",
      noKey: "Sie haben keinen aktiven Schlüssel. Erstellen Sie zuerst einen, oder lehnen Sie ab.",
      reads: "Sie sieht die Schlüssel, die Sie wählen: Bezeichnungen, Adressen und Einstellungen.",
      picks: "Was die Anwendung signieren darf",
      templates: {
        ask: "Bei allem mich fragen",
        "sign-in": "Anmeldungen bei einer Website",
        x402: "Kleine Zahlungen in USDC auf Base (x402)",
        "x402-permit2": "Kleine Zahlungen in USDC auf Base (x402 mit Permit2)",
        "trading-bot": "USDC gegen WETH verkaufen auf CoW Swap",
      },
      own: "Was ich selbst schreibe",
      ownDanger: "Gefährliche Regeln meiner Richtlinie erlauben",
      itsRules: "Regeln",
      asJson: "Richtlinie als JSON",
      itsValues: "Grenzen",
      values: {
        site: "Website",
        perMinute: "Signaturen pro Minute, höchstens",
        each: "Für jede Signatur, höchstens",
        perDay: "Pro Tag (UTC), höchstens",
        rollingDay: "In 24 Stunden, höchstens",
        toEach: "An jeden Empfänger in einer Stunde, höchstens",
      },
      asksElse: "Bei allem anderen mich fragen, statt es abzulehnen",
      endsAfter: "Endet nach",
      lengths: {
        hour: "einer Stunde",
        day: "einem Tag",
        week: "7 Tagen",
        month: "30 Tagen",
        quarter: "90 Tagen",
      },
    },
    device: {
      title: "Gerät verbinden",
      enter: "Geben Sie den Code ein, den das Gerät anzeigt.",
      code: "Code",
      next: "Weiter",
      unknown:
        "Diesen Code gibt es nicht, oder er ist abgelaufen. Prüfen Sie ihn, oder beginnen Sie am Gerät von vorn.",
      heading: (name) => html`Auf einem Gerät bei ${name} anmelden?`,
      compare:
        html`<strong>Zeigt ein Gerät vor Ihnen diesen Code?</strong> Wenn Ihnen jemand den Code oder einen Link geschickt hat, lehnen Sie ab: Er würde sich als Sie anmelden.`,
      from: "Gefragt aus dem Netz",
      at: "Gefragt am",
      allow: "Mit einem Passkey erlauben",
    },
    noAccess: {
      title: "Sie können diese Anwendung nicht verwenden",
      means: (account, application) =>
        html`${account} ist in keiner Gruppe, die ${application} verwenden darf. Fragen Sie die Administration dieses Dienstes.`,
      back: (application) => html`Zurück zu ${application}`,
    },
    signOut: {
      title: "Abmelden?",
      anApplication: "Eine Anwendung",
      asks: (application, account, service) =>
        html`${application} möchte ${account} in diesem Browser von ${service} abmelden.`,
      signOut: "Abmelden",
      stay: "Angemeldet bleiben",
    },
  },
  scripts: {
    "device": {
      confirm: "Bestätigen Sie mit einem Passkey, dass sich dieses Gerät anmelden darf.",
      approved: "Das Gerät darf sich anmelden. Machen Sie dort weiter.",
      denied: "Sie haben abgelehnt. Das Gerät bekommt keinen Zugang.",
    },
  },
};
