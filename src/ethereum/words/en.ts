import { callWords } from "./en/calls.ts";
import { describedWords } from "./en/described.ts";
import { labelWords } from "./en/labels.ts";
import { messageWords } from "./en/messages.ts";
import { safeWords } from "./en/safe.ts";
import { typedDataWords } from "./en/typed-data.ts";
import { valueWords } from "./en/values.ts";
import { warningWords } from "./en/warnings.ts";

/** The English catalogue: what the API says, and what the others must have. */
export const en = {
  ...valueWords,
  ...labelWords,
  ...typedDataWords,
  ...callWords,
  ...safeWords,
  ...messageWords,
  ...describedWords,
  ...warningWords,
};
