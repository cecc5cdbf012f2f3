import * as v from "valibot";
import { textOf } from "../../api/value.ts";
import { readWord, WORD_LIMIT } from "../../keys/signing-requests/close.ts";

export const ApproveBody = v.strictObject({ response: v.unknown() });

export const DeclineBody = v.strictObject({
  word: v.optional(textOf(readWord, `Expected 1 to ${WORD_LIMIT} characters without control characters`)),
});
