import type { Account } from "../../accounts/account.ts";

/** What a client that was granted `openid` learns of a person (OpenID Connect Core section 5.1). */
export interface UserClaims {
  /** The account's id: never an address, never given to anybody else. */
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: true;
  readonly name?: string;
}

/** Names of all claims about a person. */
export const USER_CLAIMS = [
  "sub",
  "email",
  "email_verified",
  "name",
] as const satisfies readonly (keyof UserClaims)[];

/**
 * The claims of an account. Every address in an account was proven by a code, or another provider vouched for it when
 * the account was made, so it is verified.
 */
export function userClaims({ id, email, name }: Account): UserClaims {
  return {
    sub: id,
    ...(email === null ? {} : { email, email_verified: true }),
    ...(name === null ? {} : { name }),
  };
}
