import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Client } from "../../support/client.ts";

interface Event {
  readonly seq: number;
  readonly at: string;
  readonly event: string;
}

/** Creates two accounts whose events alternate in the log. */
async function twoPeople(app: TestApp): Promise<{ ada: Client; eve: Client }> {
  const [ada, eve] = [app.client(), app.client()];
  await signUp(ada, "ada@example.com");
  await signUp(eve, "eve@example.com");
  for (const client of [ada, eve, ada, eve]) await client.post("/api/keys/generate");
  return { ada, eve };
}

describe("GET /api/audit", () => {
  test("returns the user's own events, newest first, and the head of the log", async () => {
    await using app = await createTestApp();
    const { ada, eve } = await twoPeople(app);
    const { status, body } = await ada.get("/api/audit");
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["events", "unproven", "head", "nextCursor"]);
    assert.deepEqual(body.events.map(({ event }: Event) => event), [
      "key_generated",
      "key_generated",
      "signed_in",
      "key_generated",
      "passkey_added",
      "account_created",
    ]);
    assert.deepEqual(Object.keys(body.events[0]), ["seq", "at", "event", "subject", "detail"]);
    assert.equal(body.events[0].at, new Date(app.now).toISOString());
    assert.deepEqual(body.events[0].detail, { keyIndex: 2 });
    const last = await app.db.selectFrom("audit_event").select(["seq", "hash"]).orderBy("seq", "desc").limit(
      1,
    )
      .executeTakeFirstOrThrow();
    assert.deepEqual(body.head, { seq: last.seq, hash: last.hash.toHex() });
    assert.deepEqual([body.unproven, body.nextCursor], [0, null]);
    const others: readonly Event[] = (await eve.get("/api/audit")).body.events;
    const mine = new Set(body.events.map(({ seq }: Event) => seq));
    assert.equal(others.length, 6);
    assert.ok(others.every(({ seq }) => !mine.has(seq)));
  });

  test("pages by a cursor and a Link, and shows only the user's own events for another account's cursor", async () => {
    await using app = await createTestApp();
    const { ada, eve } = await twoPeople(app);
    const all: readonly Event[] = (await ada.get("/api/audit")).body.events;
    const first = await ada.get("/api/audit?limit=4");
    const cursor = first.body.nextCursor;
    assert.equal(
      first.headers.get("link"),
      `<http://localhost:3000/api/audit?limit=4&cursor=${cursor}>; rel="next"`,
    );
    const second = await ada.get(`/api/audit?limit=4&cursor=${cursor}`);
    assert.deepEqual([...first.body.events, ...second.body.events], all);
    assert.equal(second.body.nextCursor, null);
    const foreign = (await eve.get("/api/audit?limit=1")).body.nextCursor;
    const seen: readonly Event[] = (await ada.get(`/api/audit?cursor=${foreign}`)).body.events;
    const own = new Set(all.map(({ seq }) => seq));
    assert.ok(seen.length > 0 && seen.every(({ seq }) => own.has(seq)));
  });

  const cursorOf = (text: string): string =>
    new TextEncoder().encode(text).toBase64({ alphabet: "base64url" });
  const BAD_QUERIES = [
    ...["0", "-1", "1.5", "1e3", "x", " 1", "9".repeat(16), "1 or 1=1"].map((text) =>
      `cursor=${cursorOf(text).replaceAll("=", "")}`
    ),
    "cursor=",
    "cursor=%00",
    `cursor=${"A".repeat(513)}`,
    "cursor=MQ&cursor=MQ",
    "limit=0",
    "limit=1001",
    "account=acc_1",
    "accountId=acc_1",
  ];
  test("refuses malformed cursors and unknown parameters", async () => {
    await using app = await createTestApp();
    const ada = app.client();
    await signUp(ada, "ada@example.com");
    for (const query of BAD_QUERIES) {
      assert.equal((await ada.get(`/api/audit?${query}`)).body.code, "invalid_request", query);
      // The page ignores unknown parameters.
      const status = query.startsWith("cursor") ? 400 : 200;
      assert.equal((await ada.get(`/account/audit?${query}`)).status, status, query);
    }
  });

  test("is for signed-in users", async () => {
    await using app = await createTestApp();
    assert.equal((await app.client().get("/api/audit")).body.code, "authentication_required");
    const page = await app.client().get("/account/audit");
    assert.deepEqual([page.status, page.headers.get("location")], [303, "/sign-in?next=%2Faccount%2Faudit"]);
  });

  test("leaves out entries that an attacker inserted or changed, and returns no forged head", async () => {
    await using app = await createTestApp();
    const { ada } = await twoPeople(app);
    const { events } = (await ada.get("/api/audit")).body;
    await sql`drop trigger audit_event_no_update`.execute(app.db);
    await sql`update audit_event set detail = '{"keyIndex":9}' where seq = ${events[0].seq}`.execute(app.db);
    await sql`insert into audit_event select 99, at, event, account_id, subject, detail, state, hash, mac
      from audit_event where seq = ${events[1].seq}`.execute(app.db);
    const { body } = await ada.get("/api/audit");
    assert.deepEqual(body.events, events.slice(1));
    assert.equal(body.unproven, 2);
    // Null, unless the service has recorded the fault already.
    const noticed = await app.db.selectFrom("audit_event").select(["seq", "hash"])
      .where("event", "=", "log_fault_noticed").execute();
    const heads = noticed.map(({ seq, hash }) => ({ seq, hash: hash.toHex() }));
    if (body.head !== null) assert.deepEqual([body.head], heads);
    assert.match(
      (await ada.get("/account/audit")).text,
      /they could not be verified: 2\./,
    );
  });
});

describe("GET /account/audit", () => {
  test("shows 50 events as sentences, and links to older and newer ones", async () => {
    await using app = await createTestApp();
    const { ada } = await twoPeople(app);
    for (let count = 0; count < 50; count++) await ada.post("/api/keys/generate");
    const count = (text: string): number => text.split('<li class="audit-event">').length - 1;
    const { status, text } = await ada.get("/account/audit");
    assert.equal(status, 200);
    assert.equal(count(text), 50);
    assert.match(text, /<bdi>Key 53<\/bdi><\/strong><\/a> was created, with index 52/);
    const [, next] = /rel="next" href="([^"]+)"/.exec(text)!;
    const older = await ada.get(next!);
    assert.equal(count(older.text), 6);
    assert.match(older.text, /Your account was created/);
    assert.match(older.text, /<a class="button" href="\/account\/audit">Newest events<\/a>/);
    assert.doesNotMatch(older.text, /rel="next"/);
    const { head } = (await ada.get("/api/audit")).body;
    assert.ok(text.includes(`${head.seq}:${head.hash}`));
    assert.match((await ada.get("/account")).text, /href="\/account\/audit"/);
  });

  test("filters the user's own events by kind and by key, also in the CSV file", async () => {
    await using app = await createTestApp();
    const { ada, eve } = await twoPeople(app);
    const [first] = (await ada.get("/api/keys")).body.keys;
    const second = (await ada.post("/api/keys/generate", { label: "=1+1" })).body.key;
    await ada.post(`/api/keys/${first.id}/sign`, { message: "hello" });
    await ada.post(`/api/keys/${second.id}/sign`, { message: "hello" });
    const sentences = async (person: typeof ada, query: string): Promise<readonly string[]> => {
      const { status, text } = await person.get(`/account/audit?${query}`);
      assert.equal(status, 200, query);
      return [...text.matchAll(/<li class="audit-event">\s*<p>([^]*?)<\/p>/g)]
        .map(([, html]) => html!.replace(/<[^>]*>/g, ""));
    };
    assert.deepEqual(await sentences(ada, "kind=signing"), [
      "=1+1 signed a message",
      "Key 1 signed a message",
    ]);
    assert.deepEqual(await sentences(ada, `key=${first.id}&kind=signing`), ["Key 1 signed a message"]);
    assert.deepEqual(await sentences(eve, `key=${first.id}`), []);
    assert.ok((await sentences(ada, "kind=sign-ins")).includes("Your account was created"));
    assert.match((await ada.get("/account/audit")).text, /2 signatures in the last 30 days/);
    assert.doesNotMatch((await ada.get(`/account/audit?key=${first.id}`)).text, /=1\+1/);
    assert.match((await ada.get(`/account/audit?key=${first.id}`)).text, /1 signature in the last 30 days/);
    for (const query of ["kind=none", "key=1", "key=key_%00"]) {
      assert.equal((await ada.get(`/account/audit?${query}`)).status, 400, query);
      assert.equal((await ada.get(`/account/audit.csv?${query}`)).status, 400, query);
    }

    const { headers, text } = await ada.get("/account/audit.csv?kind=signing");
    assert.equal(headers.get("content-disposition"), 'attachment; filename="activity.csv"');
    assert.match(headers.get("content-type")!, /^text\/csv; charset=utf-8/);
    const [head, latest, ...more] = text.split("\r\n");
    assert.equal(head, '"entry","time","event","subject","name","detail"');
    assert.ok(latest!.includes(`"message_signed","${second.id}","'=1+1","{""digest"":`), latest ?? "");
    assert.equal(more.length, 2, "one more, and the end of the last line");
    assert.equal((await app.client().get("/account/audit.csv")).status, 303);
  });
});
