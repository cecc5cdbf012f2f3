import * as v from "valibot";
import { Account } from "./account.ts";
import { list, NextCursor, Time } from "./value.ts";

/** Somebody's account as the administrator sees it: nothing of its keys. */
export const KeptAccount = v.strictObject({
  ...Account.entries,
  disabledAt: v.pipe(v.nullable(Time), v.description("When it was disabled; null while it is not")),
});
export const KeptAccountAnswer = v.strictObject({ account: KeptAccount });
export const KeptAccountList = v.strictObject({ accounts: list(KeptAccount), nextCursor: NextCursor });
