// The German texts that all pages share. One catalogue holds a language, so the file is longer than others.

import type { ProblemCode } from "../lib/error.ts";
import { html } from "../lib/html.ts";
import { LOCALES } from "../lib/language.ts";
import type { en } from "./messages.en.ts";

const AGAIN = "Versuchen Sie es in einem Moment noch einmal.";

/** The title and the text of each problem. The service's own are English. */
const PROBLEM_SENTENCES: Readonly<Record<ProblemCode, readonly [title: string, sentence: string]>> = {
  invalid_request: ["Ungültige Anfrage", "Diese Anfrage ist fehlerhaft oder gilt nicht mehr."],
  invalid_json: ["Ungültiges JSON", "Das ist kein gültiges JSON."],
  invalid_code: [
    "Ungültiger Code",
    "Dieser Code ist falsch oder gilt nicht mehr. Prüfen Sie ihn, oder senden Sie einen neuen Code.",
  ],
  invalid_passkey_registration: [
    "Passkey abgelehnt",
    "Der neue Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.",
  ],
  identity_refused: [
    "Nicht angemeldet",
    "Die Anmeldung bei dem anderen Anbieter ist nicht gelungen. Beginnen Sie noch einmal.",
  ],
  invalid_transaction: ["Ungültige Transaktion", "Das ist keine Transaktion, die signiert werden kann."],
  invalid_typed_data: ["Ungültige typisierte Daten", "Das sind keine gültigen typisierten Daten (EIP-712)."],
  looks_like_transaction: [
    "Könnte eine Transaktion sein",
    "Diese Bytes könnten eine Transaktion sein. Der Schlüssel signiert sie nicht blind.",
  ],
  invalid_passkey: [
    "Passkey abgelehnt",
    "Dieser Passkey wurde nicht angenommen. Vielleicht gehört er zu einem anderen Konto, oder er wurde entfernt. Versuchen Sie es mit einem anderen.",
  ],
  authentication_required: [
    "Anmeldung nötig",
    "Das hat zu lange gedauert, oder Sie sind nicht angemeldet. Laden Sie die Seite neu, und beginnen Sie noch einmal.",
  ],
  blind_signing_denied: [
    "Blindes Signieren abgelehnt",
    "Dieser Schlüssel signiert nichts, dessen Bedeutung sich nicht zeigen lässt.",
  ],
  policy_denied: ["Von einer Richtlinie abgelehnt", "Eine Richtlinie lässt diese Signatur nicht zu."],
  insufficient_scope: ["Diesem Token nicht erlaubt", "Das Token darf das nicht."],
  cross_site_request: [
    "Von einer anderen Website",
    "Der Browser meldet, dass diese Anfrage von einer anderen Website kam. Deshalb wurde sie abgelehnt. Laden Sie die Seite neu.",
  ],
  release_refused: ["Freigabe abgelehnt", "Die Freigabe wurde abgelehnt."],
  fresh_session_required: [
    "Bestätigung nötig",
    "Ihre Anmeldung ist dafür zu lange her. Bestätigen Sie mit einem Passkey.",
  ],
  account_disabled: [
    "Konto gesperrt",
    "Dieses Konto ist gesperrt. Wenden Sie sich an den Betreiber dieses Dienstes.",
  ],
  invitation_required: [
    "Einladung nötig",
    "Für ein Konto brauchen Sie hier eine Einladung. Ihre gilt für eine andere Adresse oder nicht mehr. Öffnen Sie den Link Ihrer Einladung noch einmal, oder bitten Sie um eine neue.",
  ],
  sign_up_closed: ["Keine neuen Konten", "Dieser Dienst nimmt keine neuen Konten an."],
  not_found: ["Nicht gefunden", "Hier gibt es nichts, oder es gehört Ihnen nicht."],
  method_not_allowed: ["Nicht erlaubt", "So lässt sich diese Adresse nicht verwenden."],
  group_exists: ["Gruppe vorhanden", "Eine Gruppe mit diesem Namen gibt es schon."],
  account_exists: ["Konto vorhanden", "Dieses Konto gibt es schon. Melden Sie sich stattdessen an."],
  key_archived: [
    "Schlüssel archiviert",
    "Dieser Schlüssel ist archiviert und signiert nichts. Holen Sie ihn zuerst zurück.",
  ],
  last_passkey: ["Letzter Passkey", "Der letzte Passkey eines Kontos lässt sich nicht löschen."],
  public_client: ["Öffentliche Anwendung", "Eine öffentliche Anwendung hat kein Geheimnis."],
  client_declared: [
    "In einer Datei festgelegt",
    "Eine Datei des Betreibers legt diese Anwendung fest. Ändern Sie sie dort.",
  ],
  policy_locked: ["Richtlinie gesperrt", "Diese Richtlinie ist gesperrt und lässt sich nicht lockern."],
  signing_request_over: ["Anfrage erledigt", "Diese Anfrage ist schon beantwortet oder abgelaufen."],
  limit_used_up: [
    "Grenze aufgebraucht",
    "Eine Grenze der Richtlinie ist aufgebraucht. Die Anfrage bleibt offen, bis sie abläuft.",
  ],
  too_many_tokens: [
    "Zu viele Token",
    "Ihr Konto hat schon so viele Token, wie erlaubt sind. Widerrufen Sie zuerst eines.",
  ],
  too_many_webhooks: [
    "Zu viele Webhooks",
    "Es gibt schon so viele Webhooks, wie erlaubt sind. Löschen Sie zuerst einen.",
  ],
  too_many_keys: ["Zu viele Schlüssel", "Ihr Konto hat schon so viele Schlüssel, wie es haben kann."],
  too_many_passkeys: [
    "Zu viele Passkeys",
    "Ihr Konto hat schon so viele Passkeys, wie erlaubt sind. Löschen Sie zuerst einen.",
  ],
  body_too_large: ["Zu groß", "Das ist mehr, als der Dienst auf einmal annimmt."],
  unsupported_media_type: ["Nicht unterstützt", "Daten dieser Art werden hier nicht angenommen."],
  already_made: ["Schon erstellt", "Das wurde schon erstellt. Laden Sie die Seite neu, um es zu sehen."],
  idempotency_mismatch: [
    "Schon verwendet",
    "Dieselbe Anfrage kam schon einmal, aber mit anderem Inhalt. Laden Sie die Seite neu.",
  ],
  too_many_signing_requests: [
    "Zu viele Anfragen",
    "Es sind schon so viele Anfragen nach einer Signatur offen, wie erlaubt sind. Beantworten Sie zuerst eine.",
  ],
  rate_limited: ["Zu viele Versuche", "Das waren zu viele Versuche. Versuchen Sie es später noch einmal."],
  recovery_refused: [
    "Wiederherstellung abgelehnt",
    "Mit diesen Codes lässt sich kein Konto wiederherstellen. Prüfen Sie den Wiederherstellungscode. Weglassen können Sie ihn nur, wenn Ihr Konto das erlaubt.",
  ],
  recovery_waiting: [
    "Wiederherstellung läuft",
    "Eine Wiederherstellung dieses Kontos läuft schon. Die Mails darüber enthalten einen Link, der sie abbricht.",
  ],
  recovery_in_browser: [
    "Wiederherstellung in diesem Browser",
    "In diesem Browser läuft die Wiederherstellung eines anderen Kontos. Ein Browser kann nur eine auf einmal abschließen. Beginnen Sie diese in einem anderen Browser.",
  ],
  recovery_not_ready: [
    "Wiederherstellung noch nicht möglich",
    "Die Wartezeit der Wiederherstellung läuft noch. Kommen Sie zu der Zeit wieder, die auf dieser Seite steht.",
  ],
  no_access: [
    "Kein Zugang zu dieser Anwendung",
    "Sie sind in keiner Gruppe, die diese Anwendung benutzen darf. Fragen Sie die Administration dieses Dienstes.",
  ],
  recently_recovered: [
    "Vor Kurzem wiederhergestellt",
    "Ihr Konto wurde vor Kurzem wiederhergestellt. In den sieben Tagen danach lässt sich sein Schutz nicht verringern.",
  ],
  internal_error: [
    "Fehler auf dem Server",
    `Auf dem Server ist etwas schiefgegangen. Nichts wurde signiert. ${AGAIN}`,
  ],
  identity_unavailable: [
    "Anbieter nicht erreichbar",
    `Der Anbieter, bei dem Sie sich anmelden wollten, antwortet nicht. ${AGAIN}`,
  ],
  unavailable: ["Dienst nicht verfügbar", `Der Dienst kann das gerade nicht. ${AGAIN}`],
  log_cut: [
    "Protokoll verändert",
    "Das Protokoll wurde verändert. Der Dienst tut nichts, bis sein Betreiber das geprüft hat.",
  ],
  inconsistent_store: [
    "Daten widersprüchlich",
    "In der Datenbank fehlen Daten dieses Kontos, oder sie sind nicht die neuesten. Das Konto ist gesperrt, bis der Betreiber des Dienstes das geprüft hat.",
  ],
};

const IN_ENGLISH = "Der Dienst sagt dazu, auf Englisch:";

/** Faults of the account's form fields, by the service's own sentence. */
const FIELD_FAULTS: Readonly<Record<string, string>> = {
  "Expected 1 to 100 characters without control characters":
    "Erwartet werden 1 bis 100 Zeichen ohne Steuerzeichen",
  "Expected 1 to 200 characters without control characters":
    "Erwartet werden 1 bis 200 Zeichen ohne Steuerzeichen",
  "Expected at most 100 characters": "Erwartet werden höchstens 100 Zeichen",
  "Expected 6 digits": "Erwartet werden 6 Ziffern",
  "Expected one plain e-mail address, such as name@example.com":
    "Erwartet wird eine einzelne E-Mail-Adresse wie name@example.com",
  "Expected a network such as 192.0.2.0/24": "Erwartet wird ein Netz wie 192.0.2.0/24",
  "Length must be at least 1": "Wählen Sie mindestens eines",
  "This is not the name of your account": "Das ist nicht der Name Ihres Kontos",
  "This is already your e-mail address": "Das ist schon Ihre E-Mail-Adresse",
  "Malformed value": "Dieser Wert hat nicht die richtige Form",
};

const LOOPBACK = "http auf 127.0.0.1, [::1] oder localhost";

/** Faults of the administrator's form fields, by the service's own sentence. */
const FORM_FAULTS: Readonly<Record<string, string>> = {
  ...FIELD_FAULTS,
  "Expected 1 to 100 characters without commas and control characters":
    "Erwartet werden 1 bis 100 Zeichen ohne Komma und Steuerzeichen",
  "Cannot create group: its name is taken": "Eine Gruppe mit diesem Namen gibt es schon",
  "There is no such account": "Dieses Konto gibt es nicht",
  "Expected the id of a group": "Erwartet wird die Kennung einer Gruppe",
  "Expected at most 1000 groups": "Erwartet werden höchstens 1000 Gruppen",
  "Expected at least one URI": "Erwartet wird mindestens eine Adresse",
  "Expected at most 50 URIs": "Erwartet werden höchstens 50 Adressen",
  "Expected each URI once": "Diese Adresse steht schon da",
  "Expected a URI in ASCII without spaces": "Erwartet wird eine Adresse in ASCII ohne Leerzeichen",
  "Expected at most 2000 characters": "Erwartet werden höchstens 2000 Zeichen",
  "Expected a URI without a fragment": "Erwartet wird eine Adresse ohne Fragment (#)",
  "Expected a URI without a wildcard: it is compared character by character":
    "Erwartet wird eine Adresse ohne Platzhalter: Sie wird Zeichen für Zeichen verglichen",
  "Expected an absolute URI": "Erwartet wird eine vollständige Adresse, mit Schema",
  "Expected a URI without a user name": "Erwartet wird eine Adresse ohne Benutzernamen",
  "Expected https, or http on 127.0.0.1, [::1] or localhost": `Erwartet wird https, oder ${LOOPBACK}`,
  "Expected https, http on 127.0.0.1, [::1] or localhost, or a scheme with a dot such as com.example.app:/":
    `Erwartet wird https, ${LOOPBACK}, oder ein Schema mit einem Punkt wie com.example.app:/`,
  "Expected https": "Erwartet wird https",
  "Expected a public host: this one is in a private network":
    "Erwartet wird ein öffentlich erreichbarer Rechner. Dieser steht in einem privaten Netz",
  "Expected with backchannelLogoutUri": "Das geht nur zusammen mit einer Adresse für Abmeldungen",
  "Expected the URI in its normal form": "Erwartet wird die Adresse in ihrer Normalform",
  "Expected a query without code, state, iss, error, error_description, error_uri: responses add them":
    "Erwartet wird eine Adresse ohne code, state, iss, error, error_description und error_uri: Antworten bringen sie mit",
  "Expected with keys:read or keys:sign in scopes": "Das geht nur zusammen mit keys:read oder keys:sign",
  "Expected true: the tokens of a public client must be bound to its key":
    "Das ist hier nötig: Die Token einer öffentlichen Anwendung müssen an ihren Schlüssel gebunden sein",
  "Expected a whole number from 1 to 1000": "Erwartet wird eine ganze Zahl von 1 bis 1000",
  "Expected a whole number from 1 to 365": "Erwartet wird eine ganze Zahl von 1 bis 365",
  "Expected 1: an address has one account": "Erwartet wird 1: Eine Adresse hat ein Konto",
  "Expected a time within the next 365 days": "Erwartet wird eine Zeit in den nächsten 365 Tagen",
};

const UNUSABLE =
  "Dieser Passkey lässt sich gerade nicht verwenden. Laden Sie die Seite neu, und versuchen Sie es noch einmal.";

const NOT_HERE =
  "Der Browser lässt unter dieser Adresse keinen Passkey zu. Öffnen Sie die Seite unter ihrem eigenen Domainnamen, über https.";

const CANNOT_USE =
  "Dieses Gerät kann keine Passkeys verwenden. Versuchen Sie es mit einem anderen Gerät oder einem Sicherheitsschlüssel.";

const CANNOT_CHECK =
  "Dieses Gerät kann nicht prüfen, dass Sie es sind. Richten Sie eine Bildschirmsperre ein, oder verwenden Sie ein anderes Gerät.";

/**
 * The German messages that several features share.
 *
 * German says Sie. Its terms: passkey – der Passkey; key – der Schlüssel; to sign – signieren; signature – die Signatur;
 * account – das Konto; to sign in, to sign out – sich anmelden, sich abmelden; session – die Sitzung; request – die
 * Anfrage; application – die Anwendung; token – das Token; policy – die Richtlinie; activity – der Verlauf; to revoke, to
 * withdraw – widerrufen, entziehen; vault – der Tresor; address – die Adresse; blind signing – blindes Signieren.
 */
export const de: typeof en = {
  layout: {
    development:
      html`<strong>Entwicklung:</strong> simuliertes TEE. Wer Zugang zu diesem Rechner hat, kann die Schlüssel lesen.`,
    places: "Bereiche",
    keys: "Schlüssel",
    requests: "Anfragen",
    activity: "Verlauf",
    developer: "Entwickler",
    menu: "Menü",
    signedInAs: "Angemeldet als",
    account: "Konto",
    signOut: "Abmelden",
    skip: "Zum Inhalt springen",
    footer: (service: string) =>
      `${service} verwahrt Ethereum-Schlüssel auf dem eigenen Server seines Eigentümers. Diese Seite lädt nichts von anderswo.`,
  },
  parts: {
    today: "Heute",
    yesterday: "Gestern",
    copy: "Kopieren",
    copyWhat: (what) => ` (${what})`,
    needsScript:
      "Passkeys und Signaturen brauchen JavaScript. Schalten Sie es dafür ein. Lesen und sich abmelden können Sie auch ohne.",
    or: "oder",
    continueWith: "Weiter mit",
  },
  error: {
    error: "Fehler",
    problem: (code) => {
      const [title, detail] = PROBLEM_SENTENCES[code];
      return { title, detail };
    },
    details: "Einzelheiten",
    serverSays: IN_ENGLISH,
    requestNumber: "Wenn Sie um Hilfe bitten, nennen Sie diese Nummer der Anfrage:",
    returnLinks: {
      home: "Startseite",
      consent: "Noch einmal wählen",
      sign_in: "Zurück zur Anmeldung",
      account: "Zurück zu Ihrem Konto",
    },
  },
  admin: {
    administration: "Verwaltung",
    applications: "Anwendungen",
    accounts: "Konten",
    invitations: "Einladungen",
    groups: "Gruppen",
    webhooks: "Webhooks",
    leave: "Verlassen",
    more: "Nächste Seite",
    search: "Suchen",
    faults: FORM_FAULTS,
  },
  outbox: {
    title: "Postausgang der Entwicklung",
    lead:
      "In der Entwicklung wird keine Mail gesendet. Die Mails stehen stattdessen hier, die neueste zuerst. Laden Sie die Seite neu, um neue zu sehen.",
    to: "An",
    none: "Noch keine Mail.",
  },
  shared: {
    yourName: (name) => `Ihren Namen: ${name}`,
    yourEmail: (email) => `Ihre E-Mail-Adresse: ${email}`,
    verified: "Dass Sie eine bestätigte E-Mail-Adresse haben",
    language: "Ihre Sprache",
    updated: "Wann Sie Ihren Namen, Ihre Adresse oder Ihre Sprache zuletzt geändert haben",
    groups: "Die Namen Ihrer Gruppen",
    wallets: "Die Adressen der Schlüssel, die Sie wählen",
    accountId: "Die Kennung Ihres Kontos",
  },
  review: {
    allFields: "Alle Felder",
    digest: "Digest",
    anyway: "Ich habe die oben genannten Gefahren gelesen und will diese Signatur trotzdem",
    quoted: (text) => html`„${text}“`,
  },
  activity: {
    unnamed: ["Ein Schlüssel", "Eine Anwendung", "Ein Token"],
    entry: "Eintrag",
    event: "Ereignis",
    subject: "Worum es geht",
    askedForBy: "für",
    approved: "mit einem Passkey freigegeben",
    details: "Einzelheiten",
  },
  accountPages: {
    recovery: "Wenn der Passkey verloren geht",
    settings: "Kontoeinstellungen",
    notifications: "Benachrichtigungen",
  },
  explanation: {
    empty: "leer",
    absent: "fehlt",
    none: "keine",
    nothing: "Nichts",
    number: "Nr. {number}",
    showAll: "Alle {count} zeigen",
    forApplication: "Für die Anwendung",
    typeAndHashes: "Typ und Hashes",
    type: "Typ",
    domainSeparator: "Trenner der Domain",
    messageHash: "Hash der Nachricht",
    transaction: "Transaktion",
    bytesAndCost: "Bytes und Kosten",
    unsigned: "Unsignierte Bytes",
    gasMost: "Höchste Gaskosten, in Wei",
    authorization: "Ermächtigung",
    messages: {
      personal_sign: "Dieser Text",
      personal_bytes: "Eine Nachricht aus diesen Bytes",
      raw: "Der Keccak-256-Hash dieser Bytes, blind",
      digest: "Diese 32 Bytes, wie sie sind, blind",
    },
    digest: "Digest",
  },
  intent: {
    levels: { red: "Gefahr", amber: "Achtung" },
    recognisedBy: "Erkannt an:",
  },
  policyRules: {
    outcome: "Ergebnis",
    outcomes: { allow: "erlauben", ask: "mich fragen" },
    change: "Ändern",
    remove: "Entfernen",
    decisions: { allow: "Erlaubt.", ask: "Sie werden gefragt.", deny: "Abgelehnt." },
    byRule: { allow: "Nach dieser Regel:", ask: "Nach dieser Regel:", deny: "Die nächstliegende Regel:" },
    keysOwn: "Das entscheidet die Richtlinie des Schlüssels selbst.",
    at: "In der Richtlinie:",
    value: "In der Anfrage:",
    keyRefuses: "Der Schlüssel signiert das nicht, was seine Richtlinien auch erlauben:",
  },
  policyBuilder: {
    rules: "Regeln",
    none:
      "Ohne Richtlinie darf alles signiert werden. Mit der ersten Regel ist alles andere nicht mehr erlaubt.",
    add: "Regel hinzufügen",
    tryIt: "Richtlinie ausprobieren",
    request: "Eine Anfrage",
    requestHint:
      "Ein Text, oder das JSON, das ein Programm senden würde. Entschieden wird, als wäre noch nichts signiert worden.",
    decide: "Entscheiden",
    rule: "Regel",
    kind: "Erlaubt ist",
    kinds: {
      payment: "Bezahlen",
      signIn: "Bei einer Website anmelden",
      call: "Einen Vertrag aufrufen",
      text: "Beliebigen Text signieren",
      otherwise: "Mich nach allem anderen fragen",
      limit: "Nur so oft signieren",
    },
    chain: "Nummer der Kette",
    payment: {
      asset: "Was",
      other: "Ein anderes Token",
      address: "Adresse des Tokens",
      unknown:
        "Die Nachkommastellen dieses Tokens sind hier nicht bekannt. Geben Sie Beträge in seiner kleinsten Einheit an.",
      form: "In welcher Form",
      forms: {
        any: "In jeder: Überweisungen, Permits, Freigaben und Orders",
        transfer: "Nur Überweisungen, als Transaktionen",
      },
      to: "An",
      toHint: "Adressen, eine je Zeile. Leer: jeder.",
      each: "Höchstens, jedes Mal",
      eachHint: "Leer: jeder Betrag.",
      most: "Höchstens, insgesamt",
      mostHint: "Leer: ohne Grenze.",
      window: "Gezählt",
    },
    windows: {
      perMinute: "in einer Minute",
      rollingHour: "in 60 Minuten",
      rollingDay: "in 24 Stunden",
      perDay: "an einem Tag (UTC)",
      rollingWeek: "in 7 Tagen",
      total: "für immer",
    },
    signIn: {
      sites: "Websites",
      sitesHint: "Hosts wie app.example.org, einer je Zeile.",
      chains: html`Nummern der Ketten <span class="optional">(freiwillig)</span>`,
      chainsHint: "Leer: jede Kette.",
      resources: "Auch Anmeldungen mit Ressourcen, die anderen Rechte geben können",
    },
    call: {
      abi: "ABI, Deskriptor oder Funktion",
      abiHint:
        "Fügen Sie die ABI des Vertrags ein, einen Deskriptor (ERC-7730), oder eine Funktion wie transfer(address to, uint256 value).",
      called: "Funktion",
      contracts: "Verträge",
      contractsHint: "Adressen, eine je Zeile.",
      value: "Sendet höchstens, in der Währung der Kette",
    },
    fee: "Gas darf höchstens kosten",
    feeHint: "In der Währung der Kette.",
    textMeans: "Beliebiger Text, auch Anmeldungen bei jeder Website.",
    otherwiseMeans: "Sie werden nach allem gefragt, was keine Regel erlaubt, statt dass es abgelehnt wird.",
    limit: {
      count: "Signaturen, höchstens",
      countHint: "Für die ganze Richtlinie. Leer: ohne Grenze.",
      window: "Gezählt",
    },
    outcome: "Dann",
    outcomes: { allow: "Erlauben", ask: "Mich jedes Mal fragen" },
    save: "Regel speichern",
    cancel: "Abbrechen",
  },
  scripts: {
    "approval": {
      confirm: "Bestätigen Sie mit einem Passkey, dass Sie diese Signatur wollen.",
    },
    "dom": { copied: "Kopiert", selected: "Ausgewählt" },
    "failure": {
      problems: {
        ...Object.fromEntries(
          Object.entries(PROBLEM_SENTENCES).map(([code, [, sentence]]) => [code, sentence]),
        ),
        unknown: "Der Dienst hat mit einem Fehler geantwortet. Versuchen Sie es in einem Moment noch einmal.",
      },
      faults: FIELD_FAULTS,
      serverSays: IN_ENGLISH,
      tooOftenSeconds: {
        one: "Zu viele Versuche. Versuchen Sie es in {count} Sekunde noch einmal.",
        other: "Zu viele Versuche. Versuchen Sie es in {count} Sekunden noch einmal.",
      },
      tooOftenMinutes: {
        one: "Zu viele Versuche. Versuchen Sie es in {count} Minute noch einmal.",
        other: "Zu viele Versuche. Versuchen Sie es in {count} Minuten noch einmal.",
      },
      noAnswer: "Der Dienst hat nicht rechtzeitig geantwortet. Versuchen Sie es noch einmal.",
      notReached:
        "Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung, und versuchen Sie es noch einmal.",
      ours: "Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu.",
      at: "Bei",
      request: "Anfrage",
      details: "Einzelheiten",
    },
    "passkey": {
      refusals: {
        NotAllowedError: {
          create:
            "Es wurde kein Passkey erstellt. Sie haben abgebrochen, oder es hat zu lange gedauert. Nichts hat sich geändert. Versuchen Sie es noch einmal, wenn Sie so weit sind.",
          get:
            "Sie sind nicht angemeldet. Sie haben abgebrochen, es hat zu lange gedauert, oder dieses Gerät hat keinen Passkey für diese Website.",
          confirm:
            "Nicht bestätigt; deshalb hat sich nichts geändert. Sie haben abgebrochen, es hat zu lange gedauert, oder dieses Gerät hat keinen Passkey Ihres Kontos. Versuchen Sie es noch einmal, wenn Sie so weit sind.",
        },
        InvalidStateError: {
          create:
            "Dieses Gerät hat schon einen Passkey dieses Kontos. Um einen weiteren hinzuzufügen, wählen Sie ein anderes Gerät oder einen Sicherheitsschlüssel.",
          get: UNUSABLE,
          confirm: UNUSABLE,
        },
        SecurityError: { create: NOT_HERE, get: NOT_HERE, confirm: NOT_HERE },
        NotSupportedError: {
          create:
            "Dieses Gerät kann keinen Passkey erstellen, den dieser Dienst annimmt. Versuchen Sie es mit einem anderen Gerät oder einem Sicherheitsschlüssel.",
          get: CANNOT_USE,
          confirm: CANNOT_USE,
        },
        ConstraintError: { create: CANNOT_CHECK, get: CANNOT_CHECK, confirm: CANNOT_CHECK },
      },
      overtaken:
        "Es wurde kein Passkey erstellt. In einem anderen Tab wurde ein anderes Konto begonnen. Laden Sie die Seite neu, um zu sehen, welches.",
      noSupport:
        "Dieser Browser kann keine Passkeys verwenden. Aktualisieren Sie ihn, oder nehmen Sie einen anderen Browser oder ein anderes Gerät.",
      unknown:
        "Der Passkey hat nicht funktioniert. Versuchen Sie es noch einmal, oder nehmen Sie einen anderen Browser oder ein anderes Gerät.",
    },
    "policy-builder": { changed: "Die Regeln und das JSON haben sich geändert." },
    "rule-dialog": {
      amount: "Geben Sie eine Zahl mit höchstens {decimals} Nachkommastellen an.",
      whole: "Geben Sie eine ganze Zahl in der kleinsten Einheit an.",
      eachUnits: "Jedes Mal {units} der kleinsten Einheit.",
      mostUnits: "Insgesamt {units} der kleinsten Einheit.",
      noFunction: "Darin ist keine Funktion, die man aufrufen kann.",
      trueOrFalse: "Geben Sie true oder false an, eines je Zeile.",
      limits: { any: "jeder Wert", oneOf: "einer von diesen", atMost: "höchstens" },
      values: "Erlaubte Werte von {name}, einer je Zeile",
    },
    "sign-request": {
      labels: {
        personal_sign: "Nachricht",
        typed_data: "Typisierte Daten als JSON",
        transaction: "Transaktion als JSON oder unsigniert als 0x und Hex",
        authorization: "Ermächtigung als JSON",
        personal_bytes: "Bytes der Nachricht als 0x und Hex",
        raw: "Bytes als 0x und Hex",
        digest: "Digest als 0x und 64 Hex-Ziffern",
      },
      values: {
        serializedTransaction: ["Signierte Transaktion", "die signierte Transaktion"],
        transactionHash: ["Hash der Transaktion", "den Hash der Transaktion"],
        authorization: ["Signierte Ermächtigung", "die signierte Ermächtigung"],
        signature: ["Signatur", "die Signatur"],
        digest: ["Digest", "den Digest"],
      },
    },
    "step-up": {
      confirm: "Ihre Anmeldung ist mehr als zehn Minuten her. Bestätigen Sie mit einem Ihrer Passkeys.",
    },
    "times": { locale: LOCALES.de },
    "unsent": {
      ended: "Ihre Sitzung war zu Ende; deshalb ist nichts geschehen.",
      restored:
        "Ihre Sitzung war zu Ende; deshalb ist nichts geschehen. Was Sie eingegeben haben, steht noch hier.",
    },
  },
};
