import { LOCALES } from "../../../../lib/language.ts";
import type {
  activityScriptWords as EnglishActivity,
  approvalWords as EnglishApproval,
  domWords as EnglishDom,
  keysScriptWords as EnglishKeys,
  timesWords as EnglishTimes,
  unsentWords as EnglishUnsent,
} from "../../en/scripts/parts.ts";
import { partsWords } from "../parts.ts";

export const domWords: typeof EnglishDom = { copied: "Kopiert", selected: "Ausgewählt" };

export const unsentWords: typeof EnglishUnsent = {
  ended: "Ihre Sitzung war zu Ende; deshalb ist nichts geschehen.",
  restored:
    "Ihre Sitzung war zu Ende; deshalb ist nichts geschehen. Was Sie geschrieben hatten, steht noch hier.",
};

export const approvalWords: typeof EnglishApproval = {
  confirm: "Bestätigen Sie mit einem Passkey, dass Sie diese Signatur wollen.",
};

export const keysScriptWords: typeof EnglishKeys = { done: "erledigt" };

export const activityScriptWords: typeof EnglishActivity = {
  today: partsWords.today,
  yesterday: partsWords.yesterday,
  locale: LOCALES.de,
};

export const timesWords: typeof EnglishTimes = { locale: LOCALES.de };
