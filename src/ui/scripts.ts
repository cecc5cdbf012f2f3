import type { Script } from "./assets.ts";
import { ACCOUNT_SCRIPT } from "./page/account-page.ts";
import { ACTIVITY_SCRIPT } from "./page/audit-page.ts";
import { DEVELOPER_SCRIPT } from "./page/developer-page.ts";
import { IDENTITY_SIGN_UP_SCRIPT } from "./page/identity-sign-up-page.ts";
import { KEY_SCRIPT } from "./page/key-page.ts";
import { KEYS_SCRIPT } from "./page/keys-page.ts";
import { RECOVER_SCRIPT } from "./page/recover-page.ts";
import { REQUEST_SCRIPT } from "./page/request-page.ts";
import { SETTINGS_SCRIPT } from "./page/settings-page.ts";
import { SIGN_IN_SCRIPT } from "./page/sign-in-page.ts";
import { SIGN_UP_SCRIPT } from "./page/sign-up-page.ts";
import { WAY_BACK_SCRIPT } from "./page/way-back-page.ts";

/** The scripts of all pages. */
export const SCRIPTS: readonly Script[] = [
  ACCOUNT_SCRIPT,
  ACTIVITY_SCRIPT,
  DEVELOPER_SCRIPT,
  IDENTITY_SIGN_UP_SCRIPT,
  KEYS_SCRIPT,
  KEY_SCRIPT,
  RECOVER_SCRIPT,
  REQUEST_SCRIPT,
  SETTINGS_SCRIPT,
  SIGN_IN_SCRIPT,
  SIGN_UP_SCRIPT,
  WAY_BACK_SCRIPT,
];
