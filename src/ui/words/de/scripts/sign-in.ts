import type { signInScriptWords as English } from "../../en/scripts/sign-in.ts";

export const signInScriptWords: typeof English = {
  removed:
    "Dieser Passkey wurde aus seinem Konto entfernt und meldet nicht mehr an. Verwenden Sie einen anderen, und löschen Sie diesen auf Ihrem Gerät oder in Ihrem Passwortmanager.",
};
