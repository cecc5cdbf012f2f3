import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Pool } from "pg";
import { checkSessions } from "../../../src/runtime/postgres/open.ts";

/** Idle backends of a pooler, in the order in which it uses them. */
type Idle = number[];

/** Policies by which poolers assign connections. */
const POOLERS: Readonly<Record<string, { give(idle: Idle, client: number): number; refused: boolean }>> = {
  "no pooler, or one by session": { give: (_, client) => 100 + client, refused: false },
  "the one that was used last": { give: ([backend]) => backend!, refused: true },
  "in turn": {
    give: (idle) => {
      idle.push(idle.shift()!);
      return idle.at(-1)!;
    },
    refused: true,
  },
};

/** Creates a pool through such a pooler, and counts its acquired connections. */
function poolThrough(give: (idle: Idle, client: number) => number, idle: Idle) {
  let [opened, out] = [0, 0];
  const pool = {
    connect: () => {
      const client = opened++;
      out++;
      return Promise.resolve({
        query: () => Promise.resolve({ rows: [{ backend: give(idle, client) }] }),
        release: () => void out--,
      });
    },
  };
  return { pool: pool as unknown as Pick<Pool, "connect">, out: () => out };
}

describe("checkSessions()", () => {
  for (const [name, { give, refused }] of Object.entries(POOLERS)) {
    for (const idle of [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4, 5]]) {
      test(`checkSessions() ${refused ? "refuses" : "accepts"} ${name}, ${idle.length} idle`, async () => {
        const { pool, out } = poolThrough(give, [...idle]);
        const checked = checkSessions(pool);
        if (refused) {
          await assert.rejects(checked, { code: "login_refused", message: /pool_mode must be session/ });
        } else await checked;
        assert.equal(out(), 0);
      });
    }
  }

  test("checkSessions() releases connections if the server does not answer", async () => {
    const { pool, out } = poolThrough(() => {
      throw new Error("Connection terminated");
    }, []);
    await assert.rejects(checkSessions(pool), /Connection terminated/);
    assert.equal(out(), 0);
  });
});
