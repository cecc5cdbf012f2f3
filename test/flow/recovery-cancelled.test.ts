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
  test("by a sign-in with a passkey, and the owner is told", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    await begin(other, ALICE, codes[0]);
    await pass(app, 72 * HOUR);
    assert.equal((await signIn(alice)).status, 200);
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.equal((await finish(other, ALICE)).status, 401);
    assert.ok((await subjectsTo(alice)).includes("A recovery of your account was cancelled"));
    assert.equal((await actsOf(alice)).at(-1), "cancelled_by_sign_in");
    // Somebody else's sign-in is none of its business.
    const bob = app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    await begin(other, ALICE, codes[1]);
    assert.equal((await signIn(bob)).status, 200);
    assert.equal((await other.get("/api/auth/recovery")).status, 200);
  });

  test("by the button behind the link of a mail, and not by opening the link", async () => {
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
    assert.match((await pressCancel(reader, link)).text, /No pending recovery/, "the link serves once");
    // Nor does it cancel the next one.
    await begin(other, ALICE, codes[1]);
    assert.match((await pressCancel(reader, link)).text, /No pending recovery/);
    assert.equal((await other.get("/api/auth/recovery")).status, 200);
  });

  test("by no link that we did not make", async () => {
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

  test("by whoever is signed in only with a passkey", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    app.now += 11 * MINUTE;
    await begin(other, ALICE, codes[0]);
    const cancel = () => alice.request("DELETE", "/api/auth/way-back/recovery");
    assert.deepEqual(codesOf(await cancel()), ["fresh_session_required"]);
    assert.equal((await other.get("/api/auth/recovery")).status, 200);
    await stepUp(alice, "change_recovery");
    assert.equal((await cancel()).status, 204, "the step-up has done it already");
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.equal((await actsOf(alice)).at(-1), "cancelled_by_passkey");
    // Within ten minutes of a sign-in no passkey is asked for.
    assert.equal((await signIn(alice)).status, 200);
    await begin(other, ALICE, codes[1]);
    assert.equal((await cancel()).status, 204);
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.equal((await actsOf(alice)).at(-1), "cancelled_by_owner");
  });

  test("by a passkey that is used for anything else, of this account, and the owner is told", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    const bob = app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    await begin(other, ALICE, codes[0]);
    await stepUp(bob, "export_account");
    assert.equal((await other.get("/api/auth/recovery")).status, 200, "somebody else's");
    // Not by asking for one, nor by a passkey that is refused.
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

  test("by a change of the address, since codes go to another one then", async () => {
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

  test("or finished: of both at once, one is", async () => {
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
