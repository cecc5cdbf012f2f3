import type { stepUpWords as English } from "../../en/scripts/step-up.ts";

export const stepUpWords: typeof English = {
  confirm: "Ihre Anmeldung ist mehr als zehn Minuten her: Bestätigen Sie mit einem Passkey, den Sie haben.",
};
