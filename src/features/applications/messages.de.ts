import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  list: {
    findApplication: "Name oder Client-ID",
    none: "Noch ist keine Anwendung eingetragen.",
    noneFound: "Keine Anwendung hat diesen Namen oder diese Client-ID.",
    add: "Anwendung eintragen",
    disabled: "Gesperrt",
    declared: "Aus einer Datei",
    made: "Erstellt",
  },
  form: {
    newTitle: "Anwendung eintragen",
    name: "Name",
    nameHint: "Benutzer sehen ihn, wenn sie gefragt werden, ob sie der Anwendung Zugang geben.",
    uri: "Startseite",
    type: "Was sie ist",
    types: {
      web: "Auf einem Server, der ein Geheimnis bewahren kann",
      spa: "In einem Browser",
      native: "Auf einem Gerät",
    },
    redirects: "Rückkehradressen",
    redirect: (n) => `Rückkehradresse ${n}`,
    redirectsHint:
      "Wohin Benutzer zurückkehren. Die Adresse muss genau übereinstimmen. Leere Felder werden ignoriert.",
    logouts: "Nach dem Abmelden",
    logout: (n) => `Adresse nach dem Abmelden ${n}`,
    backchannels: "Wenn sich Benutzer hier abmelden",
    backchannel: "Adresse für Abmeldungen (Back-Channel)",
    backchannelHint:
      "Dorthin meldet dieser Dienst der Anwendung, dass eine Sitzung beendet ist. Lassen Sie das Feld leer, wenn sie nicht benachrichtigt werden soll.",
    session: "Jede Benachrichtigung muss die Sitzung nennen",
    algorithm: "ID-Token werden signiert mit",
    claims: "Was sie über Benutzer erfahren darf",
    claimsHint: "Wenn Sie nichts wählen, erhält sie mit openid E-Mail-Adresse und Name.",
    claimScopes: {
      email: "E-Mail-Adresse",
      profile: "Name und Sprache",
      wallets: "Adressen der Schlüssel, die der Benutzer wählt",
    },
    keys: "Sie darf Benutzer bitten um",
    read: "das Ansehen von Schlüsseln (keys:read)",
    sign: "das Signieren mit Schlüsseln (keys:sign)",
    bound: "Ihre Token für Schlüssel sind an einen eigenen Schlüssel gebunden (DPoP)",
    flow: "Wie sie anfragt",
    pushed: "Sie muss jede Anfrage vorab übermitteln (PAR)",
    save: "Speichern",
    register: "Eintragen",
    wrong: "Nicht gespeichert. Berichtigen Sie die markierten Felder.",
    saved: "Gespeichert.",
    stale:
      "Nicht gespeichert. Die Anwendung wurde geändert, nachdem Sie diese Seite geöffnet hatten. So ist sie jetzt.",
  },
  connection: {
    title: "Verbindungsdaten",
    hint: "Eine Bibliothek braucht den Aussteller, die Client-ID und, falls es eines gibt, das Geheimnis.",
    issuer: "Aussteller",
    clientId: "Client-ID",
    secret: "Geheimnis",
    secretOnce: "Kopieren Sie das Geheimnis jetzt. Es wird nur einmal gezeigt.",
    noSecret: "Nur als Hash gespeichert. Wenn Sie es verloren haben, erstellen Sie ein neues.",
    isPublic: "Diese Anwendung hat kein Geheimnis. Sie verwendet PKCE.",
    authentication: "Authentifizierung",
    endpoints: "Endpunkte",
    environment: "Als Umgebungsvariablen",
    snippet: "Mit openid-client",
  },
  secret: {
    title: "Geheimnis",
    rotate: "Neues Geheimnis erstellen",
    overlap: "Das alte gilt noch",
    overlaps: { 0: "gar nicht", 3600: "eine Stunde", 86400: "einen Tag", 604800: "eine Woche" },
    previous: (until) => html`Das vorige Geheimnis gilt bis ${until}.`,
    end: "Das alte Geheimnis jetzt beenden",
  },
  declared:
    "Diese Anwendung steht in der Datei von CLIENTS_FILE. Ändern Sie sie dort, und starten Sie den Dienst neu.",
  danger: {
    title: "Sperren oder löschen",
    disable: "Sperren",
    disableMeans:
      "Bis Sie sie wieder zulassen, kann sich kein Benutzer damit anmelden, und ihre Token werden abgelehnt.",
    enable: "Wieder zulassen",
    isDisabled: "Sie ist gesperrt. Kein Benutzer kann sich damit anmelden.",
    remove: "Löschen",
    removeMeans:
      "Jeder Zugang, den Benutzer ihr gegeben haben, endet für immer, mit ihren Codes und Token. Der Dienst vergibt die Client-ID nie wieder.",
  },
};
