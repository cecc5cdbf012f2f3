import type { TokenAction } from "../../accounts/token/api-token.ts";

/** A tool: the operation of the API that it calls, and the right that it needs. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The `operationId` of its operation. */
  readonly operation: string;
  readonly action: TokenAction;
  readonly readOnly: boolean;
  /** The parameter of the operation's path that is an argument; undefined without one. */
  readonly parameter?: "keyId" | "requestId";
  /** True if the arguments are the members of the operation's body. */
  readonly hasBody: boolean;
}

/** The maximum length of a purpose, in characters. */
export const PURPOSE_LIMIT = 500;
