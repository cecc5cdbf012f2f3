import * as v from "valibot";
import { type KeyView, Label } from "../../api/key.ts";
import { KeyPolicy, PolicyChange } from "../../api/policy.ts";
import { Address, type Of } from "../../api/value.ts";
import { readAddress } from "../../ethereum/address.ts";
import { pageParameters } from "../../http/request/paging.ts";
import { KEY_ORDERS } from "../../keys/key-search.ts";
import { fromBase64url } from "../../lib/bytes.ts";

export const GenerateBody = v.strictObject({ label: v.optional(Label) });

/** The query of the API's list. `address` finds one key. */
export const ListQuery = v.strictObject({
  archived: v.optional(v.picklist(["true", "false"]), "false"),
  ...pageParameters,
  address: v.optional(v.pipe(
    v.string(),
    v.check((text) => readAddress(text) !== undefined, "Expected an address: 0x and 40 hex digits"),
    v.transform((text) => readAddress(text)!),
  )),
});

/** Maximum length of the searched text, the same as of a label. */
const SEARCH_LIMIT = 100;

export const KeysPageQuery = v.strictObject({
  archived: v.optional(v.picklist(["true", "false"]), "false"),
  q: v.optional(v.pipe(v.string(), v.maxLength(SEARCH_LIMIT, "Expected at most 100 characters")), ""),
  order: v.optional(v.picklist(KEY_ORDERS), "newest"),
  page: v.optional(
    v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/, "Expected the number of a page"), v.transform(Number)),
  ),
});

export interface ListedKeyView extends KeyView {
  /** The time of its last known signature; null without one. */
  readonly lastUsedAt: string | null;
}

/** The body that sets a key's policy. `policy/` validates it, because its errors say more than a schema's. */
export const PolicyBody = v.strictObject({
  policy: v.pipe(
    v.unknown(),
    v.description("The policy of the key. docs/reference/policies.md describes it"),
  ),
});

export const KeyQuote = v.strictObject({
  quote: v.pipe(v.string(), v.description("The TEE's raw quote in base64")),
  address: Address,
  inTee: v.pipe(v.boolean(), v.description("True only for real hardware")),
  provider: v.string(),
  claims: v.pipe(
    v.string(),
    v.description("The exact text whose hash is in the quote. Hash it unchanged, then parse it"),
  ),
  policy: v.pipe(v.nullable(KeyPolicy), v.description("The policy whose hash is in the claims")),
  policyChange: v.pipe(
    v.nullable(PolicyChange),
    v.description("The pending change and the time it takes effect"),
  ),
  eventLog: v.exactOptional(v.pipe(v.string(), v.description("The event log of dstack, as text"))),
});

export type KeyQuoteView = Of<typeof KeyQuote>;

const nonce = v.pipe(
  v.string(),
  v.check((text) => {
    const length = fromBase64url(text)?.length ?? 0;
    return length >= 16 && length <= 64;
  }, "Expected base64url without padding of 16 to 64 bytes"),
);

export const QuoteQuery = v.strictObject({ nonce: v.optional(nonce) });
