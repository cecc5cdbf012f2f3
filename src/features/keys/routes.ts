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
  answers: { 200: KeyPolicyAnswer, 202: KeyPolicyAnswer },
  limits: ["key_policy"],
  codes: ["fresh_session_required", "recently_recovered", "policy_locked"],
} as const satisfies Partial<Operation>;

export const KEY_ROUTES: readonly Route[] = [
  route("GET", "/api/keys", listVisibleKeys, {
    id: "listKeys",
    tag,
    summary: "List keys",
    description:
      "In the order of `keyIndex`, of a token those that it names. With `address` the one key of that address, if there is one.",
    answers: { 200: KeyList },
    answerHeaders: ["Link"],
  }, FOR_TOKENS),
  route("POST", "/api/keys/generate", generateKey, {
    id: "generateKey",
    tag,
    summary: "Make a key",
    headers: ["Idempotency-Key"],
    answers: { 201: KeyAnswer },
    answerHeaders: ["Location"],
    limits: ["key_generate"],
  }, FOR_TOKENS),
  route("GET", "/api/keys/:keyId", getVisibleKey, {
    id: "getKey",
    tag,
    summary: "Look at a key",
    answers: { 200: KeyAnswer },
  }, FOR_TOKENS),
  route("PATCH", "/api/keys/:keyId", updateKey, {
    id: "changeKey",
    tag,
    summary: "Rename a key, or change what it signs blindly",
    description:
      "Loosening `blindSigning` needs a sign-in of the last 10 minutes, or the step-up `loosen_key:<id>`.",
    answers: { 200: KeyAnswer },
    codes: ["fresh_session_required", "recently_recovered"],
  }),
  route("POST", "/api/keys/:keyId/archive", archiveKey, {
    id: "archiveKey",
    tag,
    summary: "Archive a key: it signs nothing until it is unarchived",
    answers: { 200: KeyAnswer },
  }),
  route("POST", "/api/keys/:keyId/unarchive", unarchiveKey, {
    id: "unarchiveKey",
    tag,
    summary: "Unarchive a key",
    answers: { 200: KeyAnswer },
    codes: ["recently_recovered"],
  }),
  route("GET", "/api/keys/:keyId/policy", getPolicy, {
    id: "getKeyPolicy",
    tag,
    summary: "Look at what a key may sign",
    answers: { 200: KeyPolicyAnswer },
  }),
  route("PUT", "/api/keys/:keyId/policy", replacePolicy, {
    ...policyUpdate,
    id: "setKeyPolicy",
    summary: "Say what a key may sign, whoever asks",
    description:
      "A policy that is provably within the present one counts at once. Any other needs a sign-in of the last 10 " +
      "minutes, or the step-up `change_policy:<id>`, and waits for the present one's `delayHours` (202).",
  }),
  route("DELETE", "/api/keys/:keyId/policy", removePolicy, {
    ...policyUpdate,
    id: "removeKeyPolicy",
    summary: "Have a key sign anything again, after its policy's delay",
  }),
  route("DELETE", "/api/keys/:keyId/policy/change", cancelChange, {
    id: "cancelKeyPolicyChange",
    tag,
    summary: "Cancel what waits to become of a key's policy",
    answers: { 200: KeyPolicyAnswer },
    limits: ["key_policy"],
  }),
  route("GET", "/api/keys/:keyId/quote", getQuote, {
    id: "getQuote",
    tag,
    summary: "Fetch a quote of the TEE over a key",
    answers: { 200: KeyQuote },
    limits: ["key_quote"],
  }, FOR_TOKENS),
  pageRoute("GET", "/keys", showKeys, { id: "keysPage", summary: "One's keys" }),
  pageRoute("GET", "/keys/:keyId", showKey, { id: "keyPage", summary: "A key" }),
  pageRoute("POST", "/keys/:keyId/policy/cancel", cancelChangeByForm, {
    id: "cancelPolicyForm",
    summary: "The button that cancels a change of a key's policy",
  }),
  preflightRoute("/api/keys", "GET", FOR_TOKENS),
  preflightRoute("/api/keys/generate", "POST", FOR_TOKENS),
  preflightRoute("/api/keys/:keyId", "GET", FOR_TOKENS),
  preflightRoute("/api/keys/:keyId/quote", "GET", FOR_TOKENS),
];

export const KEY_SCRIPTS: readonly Script[] = [KEY_SCRIPT, KEYS_SCRIPT];
