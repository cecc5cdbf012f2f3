import { callWords } from "./de/calls.ts";
import { describedWords } from "./de/described.ts";
import { labelWords } from "./de/labels.ts";
import { messageWords } from "./de/messages.ts";
import { safeWords } from "./de/safe.ts";
import { typedDataWords } from "./de/typed-data.ts";
import { valueWords } from "./de/values.ts";
import { warningWords } from "./de/warnings.ts";

import type { en } from "./en.ts";

/** The German catalogue. It says what a person does by signing: Sie erlauben, Sie senden. */
export const de: typeof en = {
  ...valueWords,
  ...labelWords,
  ...typedDataWords,
  ...callWords,
  ...safeWords,
  ...messageWords,
  ...describedWords,
  ...warningWords,
};
