import type { DatabaseError, DatabaseErrorCode } from "./error.ts";

/** Hears of the present fault, of each new one, and of `undefined` when it is over. */
export type HealthListener = (fault: DatabaseError | undefined) => void;

/** What keeps a database from being written: whoever runs the service hears of it once, not with each request. */
export interface Health {
  /** Undefined while nothing does. */
  fault(): DatabaseError | undefined;
  watch(listener: HealthListener): void;
  /** Notes a fault. One that is for good stays, whatever comes after it. */
  report(fault: DatabaseError): void;
  /** Notes that a fault is over that was not for good. */
  recover(): void;
}

/** The faults that outlast the statement that met them, and what ends them. */
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
};

/** Whether a fault is one of the database as it is now, and not of one statement. */
export function isLasting({ code }: DatabaseError): boolean {
  return LASTING[code] !== undefined;
}

/** Whether nothing that this process does can mend a fault: it writes no more. */
export function isForGood({ code }: DatabaseError): boolean {
  return LASTING[code] === "a new process" || LASTING[code] === "a person";
}

/** Whether another process, started now, would go on where this one cannot. */
export function isMendedByRestart({ code }: DatabaseError): boolean {
  return LASTING[code] === "a new process";
}

/** The health of a database that was just opened. */
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
