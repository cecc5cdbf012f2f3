import * as v from "valibot";
import type { SignedIn } from "../../accounts/session/session.ts";
import { transaction } from "../../db/transaction.ts";
import { toChecksumAddress } from "../../ethereum/address.ts";
import { quoteKey } from "../../keys/attestation.ts";
import { checkSignRequest, MESSAGE_FORMATS } from "../../keys/digest.ts";
import type { SignRequest } from "../../keys/digest.ts";
import { explainSignRequest } from "../../keys/explain.ts";
import { getKey } from "../../keys/key.ts";
import { sign } from "../../keys/sign.ts";
import { fromBase64url, toHex } from "../../lib/bytes.ts";
import { KIB, readJson } from "../request/body.ts";
import { readQuery } from "../request/query.ts";
import { readInput } from "../request/schema.ts";
import { json } from "../answer/respond.ts";
import type { Endpoint } from "../route.ts";
import type { Services } from "../services.ts";
import { keyOf } from "./keys.ts";

/** The endpoints that use a key. */
export interface SigningEndpoints {
  readonly signMessage: Endpoint<SignedIn>;
  readonly signTypedData: Endpoint<SignedIn>;
  readonly explain: Endpoint<SignedIn>;
  readonly quote: Endpoint<SignedIn>;
}

type SigningServices = Pick<
  Services,
  "db" | "groupCommit" | "vault" | "authority" | "limits" | "tee" | "baseUrl" | "configurationHash"
>;

/** Typed data can be long: a permit over many tokens, an order book. */
const SIGN_BODY = { limit: 1024 * KIB };

const MessageBody = v.strictObject({
  message: v.string(),
  format: v.optional(v.picklist(MESSAGE_FORMATS), "personal_sign"),
});

/** Read by `parseTypedData`, which says more of a fault than a schema could. */
const TypedDataBody = v.unknown();

const ExplainBody = v.unknown();

const nonce = v.pipe(
  v.string(),
  v.check((text) => {
    const length = fromBase64url(text)?.length ?? 0;
    return length >= 16 && length <= 64;
  }, "Expected base64url without padding of 16 to 64 bytes"),
);
const QuoteQuery = v.strictObject({ nonce: v.optional(nonce) });

/** Either body: what has types or a primary type is meant as typed data. */
function readEither(body: unknown): SignRequest {
  const isTypedData = typeof body === "object" && body !== null &&
    (Object.hasOwn(body, "types") || Object.hasOwn(body, "primaryType"));
  return isTypedData
    ? { kind: "typed_data", typedData: body }
    : { kind: "message", ...readInput(MessageBody, body) };
}

/** Makes the signing endpoints over the given services. */
export function createSigningEndpoints(services: SigningServices): SigningEndpoints {
  const { db, authority, limits, tee, baseUrl, configurationHash } = services;

  const signMessage: Endpoint<SignedIn> = async (context, signedIn) => {
    const { message, format } = await readJson(context, MessageBody, SIGN_BODY);
    const request = checkSignRequest({ kind: "message", format, message });
    const { key, signature, digest } = await sign(
      services,
      { ...keyOf(context, signedIn), now: context.now },
      request,
    );
    return json(200, { signature, address: toChecksumAddress(key.address), format, digest: toHex(digest) });
  };

  const signTypedData: Endpoint<SignedIn> = async (context, signedIn) => {
    const typedData = await readJson(context, TypedDataBody, SIGN_BODY);
    const request = checkSignRequest({ kind: "typed_data", typedData });
    const { key, signature, digest } = await sign(
      services,
      { ...keyOf(context, signedIn), now: context.now },
      request,
    );
    return json(200, { signature, address: toChecksumAddress(key.address), digest: toHex(digest) });
  };

  const explain: Endpoint<SignedIn> = async (context, signedIn) => {
    const body = await readJson(context, ExplainBody, SIGN_BODY);
    const request = checkSignRequest(readEither(body));
    return json(200, explainSignRequest(await getKey(db, authority, keyOf(context, signedIn)), request));
  };

  const quote: Endpoint<SignedIn> = async (context, signedIn) => {
    const { nonce } = readQuery(context, QuoteQuery);
    const { now } = context;
    const key = await getKey(db, authority, keyOf(context, signedIn));
    // With or without a nonce it is made now: the hardware makes about one a second for everybody together.
    await transaction(db, (tx) => limits.take(tx, "key_quote", signedIn.account.id, now));
    const { quote, claims, eventLog } = await quoteKey(tee, key, { baseUrl, configurationHash, nonce, now });
    return json(200, {
      quote: quote.toBase64(),
      address: toChecksumAddress(key.address),
      inTee: tee.inTee,
      provider: tee.provider,
      claims,
      ...(eventLog === undefined ? {} : { eventLog }),
    });
  };

  return { signMessage, signTypedData, explain, quote };
}
