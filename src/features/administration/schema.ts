import * as v from "valibot";
import { Account } from "../../api/account.ts";
import { Count, list, NextCursor, Time } from "../../api/value.ts";

/** Somebody's account as the administrator sees it: nothing of its keys. */
export const KeptAccount = v.strictObject({
  ...Account.entries,
  disabledAt: v.pipe(v.nullable(Time), v.description("When it was disabled; null while it is not")),
});
export const KeptAccountAnswer = v.strictObject({ account: KeptAccount });
export const KeptAccountList = v.strictObject({ accounts: list(KeptAccount), nextCursor: NextCursor });

/** An invitation, without its link. */
export const KeptInvitation = v.strictObject({
  id: v.string(),
  email: v.pipe(v.nullable(v.string()), v.description("Whom it is for; null for anybody with the link")),
  uses: Count,
  used: Count,
  createdAt: Time,
  expiresAt: Time,
});
export const InvitationMade = v.strictObject({
  invitation: KeptInvitation,
  link: v.pipe(v.string(), v.description("To be opened in a browser; this once")),
});
export const InvitationList = v.strictObject({ invitations: list(KeptInvitation), nextCursor: NextCursor });
