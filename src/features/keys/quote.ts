import { toKeyPolicyJson } from "../../api/policy.ts";
import { transaction } from "../../db/transaction.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { sessionOrTokenToRead } from "../../http/guard/key-guards.ts";
import { keyOf } from "../../http/guard/key-requester.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { quoteKey } from "../../keys/attestation.ts";
import { findPolicyEntry } from "../../keys/key-row.ts";
import { getKey } from "../../keys/key.ts";
import { holderOf } from "../../keys/requester.ts";
import { listSlotClaims } from "../../sealing/slots.ts";
import { type KeyQuote, QuoteQuery } from "./schema.ts";

export const getQuote = defineEndpoint(
  sessionOrTokenToRead,
  { query: QuoteQuery },
  async (context, user, { query: { nonce } }, services) => {
    const { db, tee, baseUrl, configurationHash } = services;
    const { now } = context;
    const { limits } = withRateLimitHeaders(context, services);
    const which = keyOf(context, user);
    const { key, policyEntry, slots } = await transaction(db, async (tx) => {
      const key = await getKey(tx, services, which);
      // Counted with or without a nonce: each request makes a new quote. The hardware makes about one a second for all
      // accounts together.
      await limits.take(tx, "key_quote", user.account.id, now, holderOf(user.requester));
      const policyEntry = await findPolicyEntry(tx, services, key);
      return { key, policyEntry, slots: await listSlotClaims(tx, services) };
    });
    const request = { baseUrl, configurationHash, nonce, policyEntry, slots, now };
    const { quote, claims, eventLog } = await quoteKey(tee, key, request);
    const { policy, change } = toKeyPolicyJson(key, now);
    return json<typeof KeyQuote>(200, {
      quote: quote.toBase64(),
      address: toChecksumAddress(key.address),
      inTee: tee.inTee,
      provider: tee.provider,
      claims,
      policy,
      policyChange: change && { policy: change.policy, takesEffectAt: change.takesEffectAt },
      ...(eventLog === undefined ? {} : { eventLog }),
    });
  },
);
