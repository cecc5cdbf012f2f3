/** What the rows of the authorization server are asked by; `ways.ts` says what that means. */
export const OAUTH_WAYS = {
  client: {
    one: { byId: ["id"] },
    list: { all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] } },
    over: "removed",
  },
  authorization_request: { one: { byId: ["id"] }, list: {}, over: "changed" },
  consent: {
    one: { byTarget: ["account_id", "client_id", "redirect_target"] },
    list: {
      latestOfAccount: {
        by: ["account_id"],
        order: [["created_at", "desc"], ["client_id", "asc"], ["redirect_target", "asc"]],
      },
      toClient: { by: ["account_id", "client_id"], order: [["redirect_target", "asc"]] },
    },
    over: "version",
  },
  authorization_grant: {
    one: { byId: ["id"] },
    list: {
      toClient: { by: ["account_id", "client_id"], order: [["expires_at", "desc"], ["id", "asc"]] },
      toClientInState: {
        by: ["account_id", "client_id", "state"],
        order: [["expires_at", "desc"], ["id", "asc"]],
      },
      ofClient: { by: ["client_id"], order: [["id", "asc"]] },
      ofAccount: { by: ["account_id"], order: [["id", "asc"]] },
    },
    over: "removed",
  },
  authorization_code: { one: { byId: ["id"] }, list: {}, over: "changed" },
  refresh_token: { one: { byId: ["id"] }, list: {}, over: "changed" },
  logout_request: { one: { byId: ["id"] }, list: {}, over: "removed" },
  application_session: {
    one: { byId: ["id"], toClient: ["session_id", "client_id"] },
    list: {
      ofSession: { by: ["session_id"], order: [["id", "asc"]] },
      ofAccount: { by: ["account_id"], order: [["id", "asc"]] },
    },
    over: "removed",
  },
  logout_notice: {
    one: { byId: ["id"] },
    list: { due: { by: [], order: [["next_attempt_at", "asc"], ["id", "asc"]] } },
    over: "removed",
  },
  token_key: {
    one: { byId: ["id"] },
    // Few: SQLite takes longer to sort them than whoever asks.
    list: { all: { by: [], order: [] }, ofAlgorithm: { by: ["algorithm"], order: [] } },
    over: "removed",
  },
} as const;
