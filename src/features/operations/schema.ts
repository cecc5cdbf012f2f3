import * as v from "valibot";
import { list, type Of, Time } from "../../api/value.ts";

export const Live = v.strictObject({ status: v.literal("live") });
export const Ready = v.strictObject({ status: v.literal("ready") });
export const NotReady = v.strictObject({ status: v.literal("not ready"), reasons: list(v.string()) });

const mail = v.strictObject({ to: v.string(), subject: v.string(), text: v.string(), createdAt: Time });

export type MailView = Of<typeof mail>;

export const Outbox = v.strictObject({ messages: list(mail) });
