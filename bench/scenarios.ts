import { MAIL } from "../test/ethereum/mail.ts";
import type { BareWork } from "./bare.ts";

/** The accounts and their numbers of keys. The keys of `maker` grow. */
export const PEOPLE = { one: 1, hundred: 100, thousand: 1000, maker: 1 } as const;

export type PersonName = keyof typeof PEOPLE;

export interface Scenario {
  readonly name: string;
  readonly who: PersonName;
  readonly method: "GET" | "POST";
  readonly path: (keyId: string) => string;
  readonly body?: unknown;
  readonly inFlight: number;
  /** The works that it is compared with. */
  readonly bare: readonly BareWork[];
}

const PERSONAL_SIGN = {
  who: "one",
  method: "POST",
  path: (keyId: string) => `/api/keys/${keyId}/sign`,
  body: { message: "Hello, world!" },
  bare: ["sign", "signOwnCommit", "signSharedCommit"],
} as const;

const SIGN_TYPED_DATA = {
  who: "one",
  method: "POST",
  path: (keyId: string) => `/api/keys/${keyId}/sign-typed-data`,
  body: MAIL,
  bare: ["signTypedData"],
} as const;

const SESSION = { who: "one", method: "GET", path: () => "/api/auth/session", bare: ["session"] } as const;
const GENERATE = {
  who: "maker",
  method: "POST",
  path: () => "/api/keys/generate",
  bare: ["generate"],
} as const;
const LIST = { method: "GET", path: () => "/api/keys", inFlight: 4 } as const;

export const SCENARIOS: readonly Scenario[] = [
  { name: "personal_sign, 1 in flight", ...PERSONAL_SIGN, inFlight: 1 },
  { name: "personal_sign, 32 in flight", ...PERSONAL_SIGN, inFlight: 32 },
  { name: "sign-typed-data, 1 in flight", ...SIGN_TYPED_DATA, inFlight: 1 },
  { name: "sign-typed-data, 32 in flight", ...SIGN_TYPED_DATA, inFlight: 32 },
  { name: "session, 1 in flight", ...SESSION, inFlight: 1 },
  { name: "session, 32 in flight", ...SESSION, inFlight: 32 },
  { name: "list of 100 keys, 4 in flight", ...LIST, who: "hundred", bare: ["list100"] },
  { name: "list of 1,000 keys, 4 in flight", ...LIST, who: "thousand", bare: ["list1000"] },
  { name: "key generation, 1 in flight", ...GENERATE, inFlight: 1 },
  { name: "key generation, 32 in flight", ...GENERATE, inFlight: 32 },
];
