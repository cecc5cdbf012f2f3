/** What the rows of the authorization server are asked by; `ways.ts` says what that means. */
export const OAUTH_WAYS = {
  client: {
    one: { byId: ["id"] },
    list: { all: { by: [], order: [["created_at", "asc"], ["id", "asc"]] } },
  },
  authorization_request: { one: { byId: ["id"] }, list: {} },
  consent: {
    one: { byTarget: ["account_id", "client_id", "redirect_target"] },
    list: {
      latestOfAccount: {
        by: ["account_id"],
        order: [["created_at", "desc"], ["client_id", "asc"], ["redirect_target", "asc"]],
      },
      toClient: { by: ["account_id", "client_id"], order: [["redirect_target", "asc"]] },
    },
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
    },
  },
  authorization_code: { one: { byId: ["id"] }, list: {} },
  refresh_token: { one: { byId: ["id"] }, list: {} },
  logout_request: { one: { byId: ["id"] }, list: {} },
  token_key: {
    one: { byId: ["id"] },
    // Few: SQLite takes longer to sort them than whoever asks.
    list: { all: { by: [], order: [] }, ofAlgorithm: { by: ["algorithm"], order: [] } },
  },
} as const;
