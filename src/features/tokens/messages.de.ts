import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  developer: {
    title: "Entwickler",
    webhooks: "Webhooks: Ereignisse an einen Server von Ihnen senden",
    hint:
      "Mit einem Token verwendet ein Programm die Schlüssel, die Sie wählen, für das, was Sie erlauben, und sonst nichts in Ihrem Konto. Ist Ihre Anmeldung mehr als zehn Minuten her, bestätigen Sie das Erstellen mit einem Passkey.",
    needsScript:
      "Token erstellen und widerrufen geht nur mit JavaScript. Schalten Sie es dafür ein. Lesen können Sie auch ohne.",
    tokens: "Token",
    none: "Kein Programm verwendet Ihre Schlüssel.",
    actions: {
      read: "Schlüssel ansehen, Anfragen erklären und Zeugnisse holen",
      sign: "signieren",
      create: "neue Schlüssel erstellen",
    },
    may: (actions, keys) => html`Darf ${actions}, mit ${keys}`,
    allYourKeys: "allen Ihren Schlüsseln",
    signsAnything: "Signiert alles.",
    whatItMaySign: "Was es signieren darf",
    fromOnly: (networks) => `Nur von ${networks}`,
    made: "Erstellt",
    ends: "Endet",
    ended: "Beendet",
    neverUsed: "Noch nicht verwendet",
    lastUsed: (time, network) => html`Zuletzt verwendet ${time} von ${network}`,
    revoke: "Widerrufen",
    revokeTitle: (token) => html`${token} widerrufen?`,
    token: "Token",
    revokeMeans: "Anfragen damit werden von nun an abgelehnt. Was damit signiert wurde, bleibt signiert.",
    cancel: "Abbrechen",
    stop: {
      title: "Alles anhalten",
      means:
        "Beendet alle Token, die signieren dürfen, den Zugang aller Anwendungen, die signieren dürfen, und alle offenen Anfragen. Token, die nur lesen, bleiben. Ihre Schlüssel bleiben, wie sie sind, und Sie können weiter signieren.",
      done: "Alles ist angehalten. Kein Programm und keine Anwendung kann mit Ihren Schlüsseln signieren.",
    },
    agents: {
      title: "Einen Agenten verbinden",
      means:
        "Ein Agent öffnet diesen Dienst einmal in Ihrem Browser. Dort wählen Sie seine Schlüssel, was er signieren darf und wann sein Zugang endet.",
      vscode: "Speichern Sie das als .vscode/mcp.json, und wählen Sie „Start“ über dem Eintrag.",
      operator: "Der Betreiber dieses Dienstes entscheidet, welche Agenten sich verbinden dürfen.",
    },
    madeTitle: "Kopieren Sie es jetzt",
    shownOnce: "Das Token wird nur einmal gezeigt. Wer es hat, kann alles, was es erlaubt.",
    theToken: "das Token",
    toTry: "Zum Ausprobieren:",
    theCommand: "den Befehl",
    form: {
      title: "Neues Token",
      name: "Name",
      exampleName: "Lohnzahlung auf dem Build-Server",
      may: "Es darf",
      actions: {
        read: "Schlüssel ansehen, Anfragen erklären und Zeugnisse holen",
        sign: "Signieren",
        create: "Neue Schlüssel erstellen",
      },
      keys: "Mit diesen Schlüsseln",
      allKeys: "Allen Schlüsseln, auch denen, die ich später erstelle",
      endsAfter: "Endet nach",
      days: { 7: "7 Tagen", 30: "30 Tagen", 90: "90 Tagen", 365: "einem Jahr" },
      networks: html`Nur aus diesen Netzen <span class="optional">(freiwillig)</span>`,
      beginWith: "Beginnen mit",
      noPolicy: "Keine Richtlinie",
      templates: {
        "sign-in": "Auf einer Website anmelden, sonst nichts",
        "trading-bot": "Handelsbot: auf CoW Swap USDC gegen WETH verkaufen",
        "payroll": "Lohnzahlung: USDC an bekannte Empfänger, mehr nur auf Nachfrage",
        "x402": "x402: kleine Zahlungen in USDC auf Base",
        "x402-permit2": "x402 mit Permit2: kleine Zahlungen in USDC auf Base",
        "x402-channel": "x402 in Kanälen: Gutscheine auf Base",
        "allowance": "Begrenzte Freigabe: ein Vertrag darf USDC einziehen",
        "effects": "USDC an bekannte Adressen zahlen, in jeder Form",
        "safe": "Mit einem Safe: kleine Zahlungen, alles andere auf Nachfrage",
      },
      policy: html`Richtlinie als JSON <span class="optional">(freiwillig)</span>`,
      policyHint:
        "Was keine Regel erlaubt, wird abgelehnt. Eine Vorlage ist ein Anfang: Setzen Sie Ihre eigenen Adressen, Websites und Beträge ein. Später können Sie die Richtlinie verschärfen, aber nie lockern.",
      make: "Token erstellen",
    },
  },
  scripts: {
    "tokens": {
      loadAgain: "Laden Sie die Seite neu, um es zu sehen.",
      made: "„{name}“ wurde erstellt.",
      revoked: "„{name}“ wurde widerrufen.",
    },
  },
};
