import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadPushKeys } from "../../../src/commands/files/push-keys.ts";
import { random } from "../../../src/commands/process/random.ts";
import { StartRefusal } from "../../../src/commands/process/refusal.ts";
import { isPushKeyPair, makePushKeyPair } from "../../../src/push/keys.ts";
import { inFolder } from "../../support/folder.ts";

const NONE = { wanted: undefined, publicKey: undefined, contact: undefined };
const contact = "mailto:ops@example.com";

test("loadPushKeys() makes keys in development and returns them again", async () => {
  await inFolder(async (folder) => {
    const config = { dataDir: folder, databasePath: join(folder, "db"), baseUrl: undefined, push: NONE };
    const many = await Promise.all(
      [1, 2, 3].map(() => loadPushKeys(config, { pushPrivateKey: undefined }, random)),
    );
    assert.ok(await isPushKeyPair(many[0]!));
    for (const one of many) assert.deepEqual(one, many[0]);
    assert.deepEqual(readdirSync(folder), ["push-keys"]);
    const path = join(folder, "push-keys");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(JSON.parse(readFileSync(path, "utf8")).publicKey, many[0]!.publicKey);
    const off = { ...config, push: { ...NONE, wanted: "off" as const } };
    assert.equal(await loadPushKeys(off, { pushPrivateKey: undefined }, random), undefined);
  });
});

test("loadPushKeys() makes none in production, and refuses keys that do not belong together", async () => {
  await inFolder(async (folder) => {
    const config = { dataDir: folder, databasePath: join(folder, "db"), baseUrl: "https://id.example.com" };
    const none = await loadPushKeys({ ...config, push: NONE }, { pushPrivateKey: undefined }, random);
    assert.equal(none, undefined);
    assert.deepEqual(readdirSync(folder), []);
    const { publicKey, privateKey } = await makePushKeyPair();
    const push = { wanted: undefined, publicKey, contact };
    const keys = await loadPushKeys({ ...config, push }, { pushPrivateKey: privateKey }, random);
    assert.deepEqual(keys, { publicKey, privateKey, contact });
    const other = { pushPrivateKey: (await makePushKeyPair()).privateKey };
    await assert.rejects(loadPushKeys({ ...config, push }, other, random), StartRefusal);
  });
});
