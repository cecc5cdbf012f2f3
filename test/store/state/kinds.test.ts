import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADDRESS, CLIENT, hasState, isFormerSet, kindsOf, SERVICE } from "../../../src/store/state/kinds.ts";
import { KINDS } from "../sample.ts";

describe("the kinds of an owner's rows", () => {
  // The order is that of the set hashes in stored states: another one would make every state differ from its rows.
  test("are these, in the order of the stored set hashes", () => {
    assert.deepEqual(kindsOf("acc_1"), [
      "account",
      "identity",
      "passkey",
      "email_change",
      "account_deletion",
      "account_recovery",
      "recovery_code",
      "session",
      "account_device",
      "ethereum_key",
      "api_token",
      "policy_use",
      "consent",
      "authorization_grant",
      "signing_request",
      "group_member",
      "push_subscription",
    ]);
    assert.deepEqual(kindsOf(`${ADDRESS}1`), ["code_use"]);
    assert.deepEqual(kindsOf(`${CLIENT}1`), ["client"]);
    assert.deepEqual(kindsOf(SERVICE), [
      "client",
      "token_key",
      "invitation",
      "admin_session",
      "release_key",
      "seal_set",
      "webhook",
      "user_group",
      "administrator_address",
    ]);
  });

  test("leave out only those that live for minutes, or grant nothing alone", () => {
    assert.deepEqual(KINDS.filter((kind) => !hasState(kind)), [
      "removed_passkey",
      "email_code",
      "sign_up_ticket",
      "identity_request",
      "sign_in_ticket",
      "challenge",
      "pushed_request",
      "authorization_request",
      "device_request",
      "refresh_token",
      "logout_request",
      "application_session",
      "logout_notice",
      "idempotent_answer",
      "release_challenge",
      // A member of the set, which has a state.
      "seal_slot",
      "owner_state",
      "webhook_delivery",
      "push_delivery",
    ]);
  });

  test("are all the kinds with a state", () => {
    assert.deepEqual(
      ["acc_1", `${ADDRESS}1`, `${CLIENT}1`, SERVICE].flatMap((owner) =>
        kindsOf(owner).filter((kind) => !isFormerSet(owner, kind))
      ).toSorted(),
      KINDS.filter(hasState).toSorted(),
    );
  });
});
