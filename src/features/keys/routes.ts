import { KeyAnswer, KeyList } from "../../api/key.ts";
import { KeyPolicyAnswer } from "../../api/policy.ts";
import type { Operation } from "../../http/description.ts";
import { preflightRoute } from "../../http/preflight.ts";
import { FOR_TOKENS } from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import type { Script } from "../../ui/assets.ts";
import { KEY_SCRIPT } from "./key-page.ts";
import { archiveKey, generateKey, getVisibleKey, listVisibleKeys, unarchiveKey, updateKey } from "./keys.ts";
import { KEYS_SCRIPT } from "./keys-page.ts";
import { showKey, showKeys } from "./pages.ts";
import { cancelChange, cancelChangeByForm, getPolicy, removePolicy, replacePolicy } from "./policy.ts";
import { getQuote } from "./quote.ts";
import { KeyQuote } from "./schema.ts";

const tag = "Keys";

const policyUpdate = {
  tag,
  returns: { 200: KeyPolicyAnswer, 202: KeyPolicyAnswer },
  limits: ["key_policy"],
  codes: ["fresh_session_required", "recently_recovered", "policy_locked"],
} as const satisfies Partial<Operation>;

export const KEY_ROUTES: readonly Route[] = [
  route("GET", "/api/keys", listVisibleKeys, {
    id: "listKeys",
    tag,
    summary: "List keys",
    description:
      "In the order of `keyIndex`. A token gets only the keys that it names. With `address`, the list has at most the key of that address.",
    returns: { 200: KeyList },
    responseHeaders: { 200: ["Link"] },
  }, FOR_TOKENS),
  route("POST", "/api/keys/generate", generateKey, {
    id: "generateKey",
    tag,
    summary: "Create a key",
    headers: ["Idempotency-Key"],
    returns: { 201: KeyAnswer },
    responseHeaders: { 201: ["Location"] },
    limits: ["key_generate"],
    codes: ["too_many_keys"],
  }, FOR_TOKENS),
  route("GET", "/api/keys/:keyId", getVisibleKey, {
    id: "getKey",
    tag,
    summary: "Get a key",
    returns: { 200: KeyAnswer },
  }, FOR_TOKENS),
  route("PATCH", "/api/keys/:keyId", updateKey, {
    id: "changeKey",
    tag,
    summary: "Change the settings of a key",
    description:
      "A looser `blindSigning` needs a sign-in within the last 10 minutes, or the step-up `loosen_key:<id>`.",
    returns: { 200: KeyAnswer },
    codes: ["fresh_session_required", "recently_recovered"],
  }),
  route("POST", "/api/keys/:keyId/archive", archiveKey, {
    id: "archiveKey",
    tag,
    summary: "Archive a key, so that it cannot sign until it is unarchived",
    returns: { 200: KeyAnswer },
  }),
  route("POST", "/api/keys/:keyId/unarchive", unarchiveKey, {
    id: "unarchiveKey",
    tag,
    summary: "Unarchive a key",
    returns: { 200: KeyAnswer },
    codes: ["recently_recovered"],
  }),
  route("GET", "/api/keys/:keyId/policy", getPolicy, {
    id: "getKeyPolicy",
    tag,
    summary: "Get a key's policy and its pending change",
    returns: { 200: KeyPolicyAnswer },
  }),
  route("PUT", "/api/keys/:keyId/policy", replacePolicy, {
    ...policyUpdate,
    id: "setKeyPolicy",
    summary: "Set a key's policy",
    description:
      "A policy that is provably at least as strict takes effect at once. Any other takes effect after the `delayHours` " +
      "of the current policy (202), and needs a sign-in within the last 10 minutes or the step-up " +
      "`change_policy:<id>`. A policy with a lock or a delay needs that, too.",
  }),
  route("DELETE", "/api/keys/:keyId/policy", removePolicy, {
    ...policyUpdate,
    id: "removeKeyPolicy",
    summary: "Remove a key's policy, after the policy's delay",
  }),
  route("DELETE", "/api/keys/:keyId/policy/change", cancelChange, {
    id: "cancelKeyPolicyChange",
    tag,
    summary: "Cancel the pending change of a key's policy",
    returns: { 200: KeyPolicyAnswer },
    limits: ["key_policy"],
  }),
  route("GET", "/api/keys/:keyId/quote", getQuote, {
    id: "getQuote",
    tag,
    summary: "Get an attestation quote for a key",
    returns: { 200: KeyQuote },
    limits: ["key_quote"],
  }, FOR_TOKENS),
  pageRoute("GET", "/keys", showKeys, { id: "keysPage", summary: "Your keys" }),
  pageRoute("GET", "/keys/:keyId", showKey, { id: "keyPage", summary: "A key" }),
  pageRoute("POST", "/keys/:keyId/policy/cancel", cancelChangeByForm, {
    id: "cancelPolicyForm",
    summary: "Cancel the pending change of a key's policy",
  }),
  preflightRoute("/api/keys", "GET", FOR_TOKENS),
  preflightRoute("/api/keys/generate", "POST", FOR_TOKENS),
  preflightRoute("/api/keys/:keyId", "GET", FOR_TOKENS),
  preflightRoute("/api/keys/:keyId/quote", "GET", FOR_TOKENS),
];

export const KEY_SCRIPTS: readonly Script[] = [KEY_SCRIPT, KEYS_SCRIPT];
