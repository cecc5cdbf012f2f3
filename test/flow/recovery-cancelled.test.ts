import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readCode, signIn, signUp } from "../support/client.ts";
import {
  actsOf,
  ALICE,
  begin,
  cancelLink,
  codesOf,
  fetchProof,
  finish,
  HOUR,
  makeCodes,
  MINUTE,
  pass,
  pressCancel,
  setRecoveryStage,
  stepUp,
  subjectsTo,
} from "../support/recovery.ts";

describe("a recovery is cancelled", () => {
  test("by a sign-in with a passkey, and the owner is notified", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    await begin(other, ALICE, codes[0]);
    await pass(app, 72 * HOUR);
    assert.equal((await signIn(alice)).status, 200);
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.equal((await finish(other, ALICE)).status, 401);
    assert.ok((await subjectsTo(alice)).includes("A recovery of your account was cancelled"));
    assert.equal((await actsOf(alice)).at(-1), "cancelled_by_sign_in");
    // A sign-in to another account does not cancel it.
    const bob = app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    await begin(other, ALICE, codes[1]);
    assert.equal((await signIn(bob)).status, 200);
    assert.equal((await other.get("/api/auth/recovery")).status, 200);
  });

  test("by the button on the page that a mail links to, and not by opening the page", async () => {
    await using stage = await setRecoveryStage();
    const { alice, codes, other } = stage;
    await begin(other, ALICE, codes[0]);
    const link = await cancelLink(alice, ALICE);
    const reader = stage.app.client("127.0.0.11");
    for (const method of ["GET", "HEAD"]) assert.equal((await reader.request(method, link)).status, 200);
    assert.match((await reader.get(link)).text, /<form method="post" action="\/recover\/cancel"/);
    assert.equal((await other.get("/api/auth/recovery")).status, 200);
    assert.match((await pressCancel(reader, link)).text, /The recovery is cancelled/);
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.match((await pressCancel(reader, link)).text, /No pending recovery/, "the link works once");
    // The link does not cancel the next recovery either.
    await begin(other, ALICE, codes[1]);
    assert.match((await pressCancel(reader, link)).text, /No pending recovery/);
    assert.equal((await other.get("/api/auth/recovery")).status, 200);
  });

  test("but not by a forged link", async () => {
    await using stage = await setRecoveryStage();
    const { app, codes, other } = stage;
    const bob = app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    const [bobs] = await makeCodes(bob);
    await begin(other, ALICE, codes[0]);
    await begin(app.client("127.0.0.12"), "bob@example.com", bobs);
    const alices = new URL(await cancelLink(other, ALICE), other.origin).searchParams;
    const theirs = new URL(await cancelLink(other, "bob@example.com"), other.origin).searchParams;
    const forged = [
      { recovery: alices.get("recovery")!, proof: theirs.get("proof")! },
      { recovery: alices.get("recovery")!, proof: "" },
      { recovery: alices.get("recovery")!, proof: "A".repeat(43) },
      { recovery: "recovery_00000000000000000000000000", proof: alices.get("proof")! },
    ];
    for (const query of forged) {
      const link = `/recover/cancel?${new URLSearchParams(query)}`;
      assert.match((await other.get(link)).text, /No pending recovery/);
      assert.match((await pressCancel(other, link)).text, /No pending recovery/);
    }
    assert.equal((await other.get("/recover/cancel")).status, 200);
    assert.equal((await other.get("/api/auth/recovery")).status, 200);
  });

  test("in an old session only with a passkey", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    app.now += 11 * MINUTE;
    await begin(other, ALICE, codes[0]);
    const cancel = () => alice.request("DELETE", "/api/auth/way-back/recovery");
    assert.deepEqual(codesOf(await cancel()), ["fresh_session_required"]);
    assert.equal((await other.get("/api/auth/recovery")).status, 200);
    await stepUp(alice, "change_recovery");
    assert.equal((await cancel()).status, 204, "the step-up has already cancelled it");
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.equal((await actsOf(alice)).at(-1), "cancelled_by_passkey");
    // Within ten minutes of a sign-in no step-up is needed.
    assert.equal((await signIn(alice)).status, 200);
    await begin(other, ALICE, codes[1]);
    assert.equal((await cancel()).status, 204);
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.equal((await actsOf(alice)).at(-1), "cancelled_by_owner");
  });

  test("by any use of the account's passkey, and the owner is notified", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    const bob = app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    await begin(other, ALICE, codes[0]);
    await stepUp(bob, "export_account");
    assert.equal((await other.get("/api/auth/recovery")).status, 200, "another account's passkey");
    // Neither a requested challenge nor a refused passkey cancels it.
    const options = await alice.post("/api/auth/step-up/options", { action: "export_account" });
    const response = await bob.authenticator.authenticate(
      { ...options.body, allowCredentials: [] },
      { origin: other.origin },
    );
    const refused = await alice.post("/api/auth/step-up", { action: "export_account", response });
    assert.deepEqual(codesOf(refused), ["invalid_passkey"]);
    assert.equal((await other.get("/api/auth/recovery")).status, 200);
    await stepUp(alice, "export_account");
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.ok((await subjectsTo(alice)).includes("A recovery of your account was cancelled"));
    assert.deepEqual(await actsOf(alice), ["codes_made", "begun", "cancelled_by_passkey"]);
  });

  test("by an e-mail change, because codes are then sent to another address", async () => {
    await using stage = await setRecoveryStage();
    const { alice, codes, other } = stage;
    await begin(other, ALICE, codes[0]);
    const email = "alice@example.org";
    await alice.post("/api/auth/account/email/code", { email });
    const changed = await alice.post("/api/auth/account/email", {
      email,
      code: await readCode(alice, email),
    });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.deepEqual(await actsOf(alice), ["codes_made", "begun", "cancelled_by_new_address"]);
  });

  test("or completed, but not both at once", async () => {
    for (const how of ["link", "sign-in"] as const) {
      await using stage = await setRecoveryStage();
      const { app, alice, codes, other } = stage;
      await begin(other, ALICE, codes[0]);
      await pass(app, 72 * HOUR);
      const options = await other.post("/api/auth/recovery/passkey/options", await fetchProof(other, ALICE));
      const response = await other.authenticator.register(options.body, { origin: other.origin });
      const link = await cancelLink(other, ALICE);
      const [finished, cancelled] = await Promise.all([
        other.post("/api/auth/recovery/passkey", { response }),
        how === "link" ? pressCancel(other, link) : signIn(alice),
      ]);
      const isCancelled = how === "link"
        ? cancelled.text.includes("The recovery is cancelled")
        : cancelled.status === 200;
      assert.notEqual(finished.status === 201, isCancelled, `${how}: ${finished.text}`);
      assert.equal((await alice.get("/api/keys")).status, isCancelled ? 200 : 401);
    }
  });
});
