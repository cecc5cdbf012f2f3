/** What is wrong with a field of a form of one's own, by the sentence that the service says of it. */
export const FIELD_FAULTS: Readonly<Record<string, string>> = {
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
  "This is not what your account is called": "So heißt Ihr Konto nicht",
  "This is your e-mail address already": "Das ist schon Ihre E-Mail-Adresse",
  "Malformed value": "Dieser Wert hat nicht die richtige Form",
};

const LOOPBACK = "http auf 127.0.0.1, [::1] oder localhost";

/** The same of the administrator's forms. */
export const FORM_FAULTS: Readonly<Record<string, string>> = {
  ...FIELD_FAULTS,
  "Expected 1 to 100 characters, none of them a control":
    "Erwartet werden 1 bis 100 Zeichen ohne Steuerzeichen",
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
  "Expected a host that anybody can reach: this one is of a private network":
    "Erwartet wird ein Rechner, den alle erreichen: Dieser steht in einem privaten Netz",
  "Expected with backchannelLogoutUri": "Das geht nur zusammen mit einer Adresse für Abmeldungen",
  "Expected the URI in its normal form": "Erwartet wird die Adresse in ihrer Normalform",
  "Expected a query without code, state, iss, error, error_description, error_uri: answers bring them":
    "Erwartet wird eine Adresse ohne code, state, iss, error, error_description und error_uri: Antworten bringen sie mit",
  "Expected with keys:read or keys:sign in scopes": "Das geht nur zusammen mit keys:read oder keys:sign",
  "Expected true: a public client signs with tokens that are bound to its key":
    "Das ist hier nötig: Eine öffentliche Anwendung signiert mit Token, die an ihren Schlüssel gebunden sind",
  "Expected a whole number from 1 to 1000": "Erwartet wird eine ganze Zahl von 1 bis 1000",
  "Expected a whole number from 1 to 365": "Erwartet wird eine ganze Zahl von 1 bis 365",
  "Expected 1: an address has one account": "Erwartet wird 1: Eine Adresse hat ein Konto",
  "Expected a time within the next 365 days": "Erwartet wird eine Zeit in den nächsten 365 Tagen",
};
