import type { ClientType } from "../db/schema/oauth.ts";
import { html } from "../lib/html.ts";
import type { Instant } from "../lib/time.ts";
import { defineEvent } from "./event-row.ts";

/** `policy` is the SHA-256 of the new policy's canonical JSON, 0x-hex; absent for none. */
interface PolicySet {
  readonly policy?: string;
}

const GRANT_ENDS = {
  withdrawn: {
    en: "An application’s access was withdrawn",
    de: "Eine Anwendung verlor ihren Zugang, weil er ihr entzogen wurde",
  },
  code_replayed: {
    en: "An application lost its access because its code was used twice",
    de: "Eine Anwendung verlor ihren Zugang, weil ihr Code zweimal verwendet wurde",
  },
  refresh_token_reused: {
    en: "An application lost its access because an old refresh token was used again",
    de: "Eine Anwendung verlor ihren Zugang, weil ein altes Refresh-Token noch einmal verwendet wurde",
  },
  ended_by_administrator: {
    en: "An application lost its access because the administrator ended it",
    de: "Eine Anwendung verlor ihren Zugang, weil der Administrator ihn beendet hat",
  },
  access_lost: {
    en: "An application lost its access because you are in none of its groups",
    de: "Eine Anwendung verlor ihren Zugang, weil Sie in keiner ihrer Gruppen sind",
  },
  revoked: { en: "An application gave up its access", de: "Eine Anwendung gab ihren Zugang auf" },
  recovered: {
    en: "An application lost its access because the account was recovered",
    de: "Eine Anwendung verlor ihren Zugang, weil das Konto wiederhergestellt wurde",
  },
  stopped: {
    en: "An application lost its access because you stopped everything",
    de: "Eine Anwendung verlor ihren Zugang, weil Sie alles angehalten haben",
  },
  replaced: {
    en: "An application lost its earlier access to keys because you replaced it",
    de: "Eine Anwendung verlor ihren früheren Zugang zu Schlüsseln, weil Sie ihn ersetzt haben",
  },
  too_many: {
    en: "An application lost its oldest access because it had too many",
    de: "Eine Anwendung verlor ihren ältesten Zugang, weil sie zu viele hatte",
  },
};

export type GrantEnd = keyof typeof GRANT_ENDS;

export const TOKEN_EVENTS = {
  /** `actions` are separated by spaces. The subject is the token. */
  token_created: defineEvent<{ readonly actions: string } & PolicySet>({
    en: ({ actions }) => `You created a token for a program (${actions})`,
    de: ({ actions }) => `Sie haben ein Token für ein Programm erstellt (${actions})`,
    named: {
      en: (it) => html`You created the token ${it}`,
      de: (it) => html`Sie haben das Token ${it} erstellt`,
    },
  }),
  /** `members` are the names of the changed members, separated by commas. */
  token_changed: defineEvent<{ readonly members: string } & PolicySet>({
    en: ({ members }) => `You changed a token (${members})`,
    de: ({ members }) => `Sie haben ein Token geändert (${members})`,
    named: {
      en: (it) => html`You changed the token ${it}`,
      de: (it) => html`Sie haben das Token ${it} geändert`,
    },
  }),
  /** The owner ended the signing of all programs. The numbers are of ended tokens, grants and pending requests. */
  signing_stopped: defineEvent<
    { readonly tokens: number; readonly grants: number; readonly requests: number }
  >({
    en: ({ tokens, grants, requests }) =>
      `You stopped everything: tokens ${tokens}, applications ${grants}, pending requests ${requests}`,
    de: ({ tokens, grants, requests }) =>
      `Sie haben alles angehalten: Token ${tokens}, Anwendungen ${grants}, offene Anfragen ${requests}`,
  }),
  /** `events` are their names, separated by spaces. The subject is the webhook. */
  webhook_added: defineEvent<{ readonly events: string }>({
    en: ({ events }) => `A webhook was added (${events})`,
    de: ({ events }) => `Ein Webhook wurde hinzugefügt (${events})`,
  }),
  webhook_removed: defineEvent({ en: "A webhook was removed", de: "Ein Webhook wurde entfernt" }),
  /** Push messages were turned on in the browser of a session. The subject is the subscription. */
  push_added: defineEvent({
    en: "Notifications were turned on in a browser",
    de: "In einem Browser wurden Benachrichtigungen eingeschaltet",
  }),
  push_removed: defineEvent({
    en: "Notifications were turned off in a browser",
    de: "In einem Browser wurden Benachrichtigungen ausgeschaltet",
  }),
  token_revoked: defineEvent({
    en: "You revoked a token",
    de: "Sie haben ein Token widerrufen",
    named: {
      en: (it) => html`You revoked the token ${it}`,
      de: (it) => html`Sie haben das Token ${it} widerrufen`,
    },
  }),
};

export const APPLICATION_EVENTS = {
  group_created: defineEvent({ en: "A group was created", de: "Eine Gruppe wurde erstellt" }),
  /** `members` is the number of accounts that were in it. */
  group_deleted: defineEvent<{ readonly members: number }>({
    en: "A group was deleted",
    de: "Eine Gruppe wurde gelöscht",
  }),
  /** `group` is its name at that time. The subject is the group. */
  group_joined: defineEvent<{ readonly group: string }>({
    en: ({ group }) => `The administrator added you to the group “${group}”`,
    de: ({ group }) => `Die Administration hat Sie in die Gruppe „${group}“ aufgenommen`,
  }),
  group_left: defineEvent<{ readonly group: string }>({
    en: ({ group }) => `The administrator removed you from the group “${group}”`,
    de: ({ group }) => `Die Administration hat Sie aus der Gruppe „${group}“ entfernt`,
  }),
  client_registered: defineEvent<{ readonly type: ClientType }>({
    en: "An application was registered",
    de: "Eine Anwendung wurde eingetragen",
  }),
  /** `members` are the names of the changed members, separated by commas. */
  client_changed: defineEvent<{ readonly members: string }>({
    en: ({ members }) => `An application’s registration was changed (${members})`,
    de: ({ members }) => `Die Angaben zu einer Anwendung wurden geändert (${members})`,
  }),
  client_disabled: defineEvent({
    en: "An application was disabled",
    de: "Eine Anwendung wurde gesperrt",
  }),
  client_enabled: defineEvent({
    en: "An application was enabled",
    de: "Eine Anwendung wurde freigegeben",
  }),
  /** `previousUntil` is the expiry of the previous secret; absent if it expired at once. */
  client_secret_rotated: defineEvent<{ readonly previousUntil?: Instant }>({
    en: "An application’s secret was replaced",
    de: "Eine Anwendung bekam ein anderes Geheimnis",
  }),
  /** The previous secret was revoked before its expiry. */
  client_secret_ended: defineEvent({
    en: "An application’s previous secret was ended",
    de: "Das frühere Geheimnis einer Anwendung gilt nicht mehr",
  }),
  /** `grants` is the number of grants that ended with it. */
  client_deleted: defineEvent<{ readonly grants: number }>({
    en: "An application was deleted",
    de: "Eine Anwendung wurde gelöscht",
  }),
  /** `keys` are the ids of the keys that the client may use, separated by spaces; absent for none. */
  consent_given: defineEvent<{ readonly scope: string; readonly keys?: string } & PolicySet>({
    en: ({ scope, keys }) =>
      `You gave an application access (${scope})${
        keys === undefined ? "" : `, with ${keys.split(" ").length} of your keys`
      }`,
    de: ({ scope, keys }) =>
      `Sie haben einer Anwendung Zugang gegeben (${scope})${
        keys === undefined ? "" : `, mit ${keys.split(" ").length} Ihrer Schlüssel`
      }`,
    named: {
      en: (it) => html`You gave ${it} access`,
      de: (it) => html`Sie haben ${it} Zugang gegeben`,
    },
  }),
  consent_withdrawn: defineEvent({
    en: "You withdrew an application’s access",
    de: "Sie haben einer Anwendung den Zugang entzogen",
    named: {
      en: (it) => html`You withdrew the access of ${it}`,
      de: (it) => html`Sie haben ${it} den Zugang entzogen`,
    },
  }),
  authorization_denied: defineEvent({
    en: "You denied an application access",
    de: "Sie haben einer Anwendung den Zugang verweigert",
    named: {
      en: (it) => html`You denied ${it} access`,
      de: (it) => html`Sie haben ${it} den Zugang verweigert`,
    },
  }),
  /** A passkey was refused when the user approved a device. `reason` is the check that failed. */
  device_approval_refused: defineEvent<{ readonly reason: string }>({
    en: ({ reason }) => `The approval of a device was refused (${reason})`,
    de: ({ reason }) => `Die Freigabe eines Geräts wurde abgelehnt (${reason})`,
    named: {
      en: (it, { reason }) => html`The approval of a device for ${it} was refused (${reason})`,
      de: (it, { reason }) => html`Die Freigabe eines Geräts für ${it} wurde abgelehnt (${reason})`,
    },
  }),
  /** A code was issued. The subject is the grant. */
  grant_started: defineEvent<{ readonly clientId: string }>({
    en: "An application was given access",
    de: "Eine Anwendung bekam Zugang",
  }),
  code_redeemed: defineEvent<{ readonly clientId: string }>({
    en: "An application fetched its first tokens",
    de: "Eine Anwendung holte ihre ersten Token ab",
  }),
  grant_refreshed: defineEvent<{ readonly clientId: string }>({
    en: "An application renewed its tokens",
    de: "Eine Anwendung erneuerte ihre Token",
  }),
  grant_ended: defineEvent<{ readonly clientId: string; readonly reason: GrantEnd }>({
    en: ({ reason }) => GRANT_ENDS[reason].en,
    de: ({ reason }) => GRANT_ENDS[reason].de,
  }),
};
