import { html } from "../../lib/html.ts";
import type { en } from "./messages.en.ts";

export const de: typeof en = {
  list: {
    findApplication: "Name oder Client-ID",
    none: "Noch ist keine Anwendung eingetragen.",
    noneFound: "Keine heißt so.",
    add: "Anwendung eintragen",
    disabled: "Gesperrt",
    declared: "Aus einer Datei",
    made: "Erstellt",
  },
  form: {
    newTitle: "Anwendung eintragen",
    name: "Name",
    nameHint: "Menschen sehen ihn, wenn sie gefragt werden, ob sie die Anwendung zulassen.",
    uri: "Startseite",
    type: "Was sie ist",
    types: {
      web: "Auf einem Server, der ein Geheimnis bewahren kann",
      spa: "In einem Browser",
      native: "Auf einem Gerät",
    },
    redirects: "Rückkehradressen",
    redirect: (n) => `Rückkehradresse ${n}`,
    redirectsHint: "Wohin Menschen zurückkehren, auf den Buchstaben genau. Leere werden weggelassen.",
    logouts: "Nach dem Abmelden",
    logout: (n) => `Adresse nach dem Abmelden ${n}`,
    backchannels: "Wenn sich Menschen hier abmelden",
    backchannel: "Adresse für Abmeldungen (Back-Channel)",
    backchannelHint:
      "Wo dieser Dienst der Anwendung sagt, dass eine Sitzung zu Ende ist. Leer: sie erfährt es nicht.",
    session: "Sie muss jedes Mal erfahren, welche Sitzung",
    algorithm: "ID-Token werden signiert mit",
    keys: "Sie darf Menschen bitten um",
    read: "das Ansehen von Schlüsseln (keys:read)",
    sign: "das Signieren mit Schlüsseln (keys:sign)",
    bound: "Ihre Token für Schlüssel sind an einen eigenen Schlüssel gebunden (DPoP)",
    save: "Speichern",
    register: "Eintragen",
    wrong: "Nicht gespeichert: Berichtigen Sie, was markiert ist.",
    saved: "Gespeichert.",
    stale:
      "Nicht gespeichert: Die Anwendung wurde geändert, seit diese Seite geöffnet wurde. Hier steht, wie sie jetzt ist.",
  },
  connection: {
    title: "Verbindungsdaten",
    hint: "Eine Bibliothek braucht den Aussteller, die Client-ID und, wo es eines gibt, das Geheimnis.",
    issuer: "Aussteller",
    clientId: "Client-ID",
    secret: "Geheimnis",
    secretOnce: "Kopieren Sie das Geheimnis jetzt: Es wird nur dieses eine Mal gezeigt.",
    noSecret: "Nur als Hash aufbewahrt. Erstellen Sie ein neues, wenn es verloren ist.",
    isPublic: "Diese Anwendung hat kein Geheimnis: Sie weist sich durch PKCE aus.",
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
    "Die Datei von CLIENTS_FILE legt diese Anwendung fest: Sie wird dort geändert, und das gilt ab dem nächsten Start des Dienstes.",
  danger: {
    title: "Sperren oder löschen",
    disable: "Sperren",
    disableMeans:
      "Niemand meldet sich damit an, und ihre Token werden abgelehnt, bis sie wieder zugelassen wird.",
    enable: "Wieder zulassen",
    isDisabled: "Sie ist gesperrt: Niemand meldet sich damit an.",
    remove: "Löschen",
    removeMeans:
      "Was Menschen ihr gewährt haben, endet für immer, mit ihren Codes und Token. Der Dienst vergibt die Client-ID nie wieder.",
  },
};
