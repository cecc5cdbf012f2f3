import type { Tables } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { insertRow, removeRow, replaceRow } from "../../../src/store/write.ts";
import type { Row } from "../../support/lying-database.ts";
import { changeOf, hide, put } from "./stage.ts";
import type { OwnedStage } from "./stage.ts";

/** An attack on the first row of the owner. */
export interface Attack {
  /** Returns the row as the service last wrote it; undefined if the service deleted it. */
  readonly run: (stage: OwnedStage) => Promise<Row | undefined>;
  /** The effect on a query of the row: none, a forged or an authentic one is found, or its state is not the newest. */
  readonly effect: "absent" | "edited" | "restored" | "state";
}

const STATE = "owner_state";

async function stateOf({ db, owner }: OwnedStage): Promise<Tables["owner_state"]> {
  return await db.selectFrom(STATE).selectAll().where("owner", "=", owner).executeTakeFirstOrThrow();
}

async function setState({ db, owner }: OwnedStage, row: Partial<Tables["owner_state"]>): Promise<void> {
  await db.updateTable(STATE).set(row).where("owner", "=", owner).execute();
}

async function change(stage: OwnedStage): Promise<Row> {
  const { db, authority, kind, rows: [row] } = stage;
  const changed = changeOf(stage, row!) as never;
  return await replaceRow(db, authority, kind, row as never, changed) as unknown as Row;
}

/** Attacks by an editor of the database file, while the service does not look. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  "the row is hidden": {
    effect: "absent",
    run: async ({ db, kind, rows: [row] }) => {
      await hide(db, kind, row!);
      return row;
    },
  },
  "the row is edited": {
    effect: "edited",
    run: async (stage) => {
      const { db, kind, rows: [row] } = stage;
      await put(db, kind, { ...row!, ...changeOf(stage, row!) });
      return row;
    },
  },
  "the row is replaced by its older version": {
    effect: "restored",
    run: async (stage) => {
      const changed = await change(stage);
      await put(stage.db, stage.kind, stage.rows[0]!);
      return changed;
    },
  },
  "the row is there again after the service deleted it": {
    effect: "restored",
    run: async ({ db, authority, kind, rows: [row] }) => {
      await transaction(db, (tx) => removeRow(tx, authority, kind, row as never));
      await put(db, kind, row!);
      return undefined;
    },
  },
  "the row is replaced by a version that another copy of the service wrote": {
    effect: "restored",
    run: async (stage) => {
      const { db, kind, samples, rows: [row] } = stage;
      const { mac: _, ...plain } = { ...row!, ...changeOf(stage, row!) } as Row & { mac: unknown };
      await put(db, kind, samples.sealed(0, plain));
      return row;
    },
  },
  "the state is hidden": {
    effect: "state",
    run: async ({ db, owner, rows: [row] }) => {
      await db.deleteFrom(STATE).where("owner", "=", owner).execute();
      return row;
    },
  },
  "the state is an older one": {
    effect: "state",
    run: async (stage) => {
      const before = await stateOf(stage);
      const changed = await change(stage);
      await setState(stage, before);
      return changed;
    },
  },
  "state and row are older ones, which add up": {
    effect: "state",
    run: async (stage) => {
      const before = await stateOf(stage);
      const changed = await change(stage);
      await setState(stage, before);
      await put(stage.db, stage.kind, stage.rows[0]!);
      return changed;
    },
  },
  "the state has another owner's content": {
    effect: "state",
    run: async (stage) => {
      const { db, authority, rows: [row] } = stage;
      const identity = { id: "i", issuer: "i", subject: "s", account_id: "another", created_at: 1 };
      await insertRow(db, authority, "identity", identity);
      const { version, sets, mac } = await stateOf({ ...stage, owner: "another" });
      await setState(stage, { version, sets, mac });
      return row;
    },
  },
  "the state is edited": {
    effect: "state",
    run: async (stage) => {
      const { sets } = await stateOf(stage);
      await setState(stage, { sets: new Uint8Array(sets.length) });
      return stage.rows[0];
    },
  },
  "the state has a higher version": {
    effect: "state",
    run: async (stage) => {
      const { version } = await stateOf(stage);
      await setState(stage, { version: version + 1 });
      return stage.rows[0];
    },
  },
};
