import type { Script } from "../ui/assets.ts";
import { ACCOUNT_SCRIPTS } from "../features/account/routes.ts";
import { ACTIVITY_SCRIPTS } from "../features/activity/routes.ts";
import { TOKEN_SCRIPTS } from "../features/tokens/routes.ts";
import { KEY_SCRIPTS } from "../features/keys/routes.ts";
import { RECOVERY_SCRIPTS } from "../features/recovery/routes.ts";
import { SIGNING_REQUEST_SCRIPTS } from "../features/signing-requests/routes.ts";
import { SETTINGS_SCRIPTS } from "../features/settings/routes.ts";
import { SIGN_IN_SCRIPTS } from "../features/sign-in/routes.ts";

/** The scripts of all pages. */
export const SCRIPTS: readonly Script[] = [
  ...ACCOUNT_SCRIPTS,
  ...ACTIVITY_SCRIPTS,
  ...TOKEN_SCRIPTS,
  ...KEY_SCRIPTS,
  ...RECOVERY_SCRIPTS,
  ...SIGNING_REQUEST_SCRIPTS,
  ...SETTINGS_SCRIPTS,
  ...SIGN_IN_SCRIPTS,
];
