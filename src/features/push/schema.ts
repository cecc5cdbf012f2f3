import * as v from "valibot";
import { list, type Of, Time } from "../../api/value.ts";

export const SubscriptionBody = v.strictObject({
  endpoint: v.pipe(v.string(), v.description("The URL at the push service of the browser")),
  keys: v.strictObject({
    p256dh: v.pipe(v.string(), v.description("The public key of the browser: 65 bytes in base64url")),
    auth: v.pipe(
      v.string(),
      v.description("The authentication secret of the browser: 16 bytes in base64url"),
    ),
  }),
});

const Subscription = v.strictObject({
  id: v.string(),
  device: v.pipe(v.string(), v.description("The browser and system, as the browser reported them")),
  createdAt: Time,
  current: v.pipe(v.boolean(), v.description("True for the browser of this session")),
});

export type SubscriptionView = Of<typeof Subscription>;

export const SubscriptionAnswer = v.strictObject({ subscription: Subscription });

export const SubscriptionList = v.strictObject({
  publicKey: v.pipe(
    v.nullable(v.string()),
    v.description("The `applicationServerKey`, in base64url; null if this service sends no push messages"),
  ),
  subscriptions: list(Subscription),
});
