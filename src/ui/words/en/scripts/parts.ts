import { LOCALES } from "../../../../lib/language.ts";
import { partsWords } from "../parts.ts";

/** What scripts of several pages say. */
export const domWords = { copied: "Copied", selected: "Selected" };

export const unsentWords = {
  ended: "Your session had ended, so nothing was done.",
  restored: "Your session had ended, so nothing was done. What you had written is still here.",
};

export const approvalWords = { confirm: "Confirm with a passkey that you want this signature." };

export const keysScriptWords = { done: "done" };

/** What days are called. */
export const activityScriptWords = {
  today: partsWords.today,
  yesterday: partsWords.yesterday,
  locale: LOCALES.en,
};

/** How times are written. */
export const timesWords = { locale: LOCALES.en };
