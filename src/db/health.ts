import type { DatabaseError, DatabaseErrorCode } from "./error.ts";

/** A callback for the present fault, each new one, and `undefined` on recovery. */
export type HealthListener = (fault: DatabaseError | undefined) => void;

/** The condition of a database. Listeners are called once for a fault, not with each failing request. */
export interface Health {
  /** Undefined while the database can be written. */
  fault(): DatabaseError | undefined;
  watch(listener: HealthListener): void;
  /** Records a fault. A permanent one is never replaced. */
  report(fault: DatabaseError): void;
  /** Clears the fault, unless it is permanent. */
  recover(): void;
}

/** The faults that outlast the statement that met them, and what ends each. */
const LASTING: Partial<
  Readonly<Record<DatabaseErrorCode, "a write" | "an answer" | "a new process" | "a person">>
> = {
  disk_full: "a write",
  unreachable: "an answer",
  login_refused: "an answer",
  read_only: "a write",
  disk_failed: "a new process",
  files_replaced: "a new process",
  schema_changed: "a person",
  pages_damaged: "a person",
};

/** Returns true if the fault affects the whole database and not only one statement. */
export function isLasting({ code }: DatabaseError): boolean {
  return LASTING[code] !== undefined;
}

/** Returns true if this process cannot recover from the fault. It writes no more. */
export function isForGood({ code }: DatabaseError): boolean {
  return LASTING[code] === "a new process" || LASTING[code] === "a person";
}

export function isMendedByRestart({ code }: DatabaseError): boolean {
  return LASTING[code] === "a new process";
}

export function createHealth(): Health {
  const listeners: HealthListener[] = [];
  let present: DatabaseError | undefined;

  function change(to: DatabaseError | undefined): void {
    const isNews = present?.code !== to?.code;
    present = to;
    if (isNews) { for (const listener of listeners) listener(to); }
  }

  function isSettled(): boolean {
    return present !== undefined && isForGood(present);
  }

  return {
    fault: () => present,
    watch: (listener) => {
      listeners.push(listener);
      if (present !== undefined) listener(present);
    },
    report: (fault) => isSettled() ? undefined : change(fault),
    recover: () => isSettled() ? undefined : change(undefined),
  };
}
