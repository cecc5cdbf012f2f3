import type { Config } from "../../config.ts";
import type { Db } from "../../db/schema.ts";
import type { Log } from "../../lib/log.ts";
import { MINUTE } from "../../lib/time.ts";
import { serve } from "../../runtime/serve.ts";
import type { Handler, Server } from "../../runtime/server.ts";
import { StartRefusal } from "../refusal.ts";

// What every process that listens has in common: the service and a release broker.

const MAINTENANCE_INTERVAL = MINUTE;

/** Listens where the configuration says. Throws `StartRefusal` with what to set where that cannot be. */
export async function listen(config: Config, handler: Handler): Promise<Server> {
  try {
    return await serve({ hostname: config.host, port: config.port, handler });
  } catch (cause) {
    throw listenRefusal(config, cause);
  }
}

/** Why the address cannot be listened on, in words that say what to set; an error of ours as it is. */
function listenRefusal({ host, port }: Config, cause: unknown): unknown {
  const { code } = cause as { code?: unknown };
  if (code === "EADDRINUSE") return new StartRefusal(`PORT ${port} is in use by another program`, { cause });
  if (code === "EACCES") {
    return new StartRefusal(`PORT ${port} needs more rights than this user has`, { cause });
  }
  return typeof code === "string"
    ? new StartRefusal(`HOST ${host} is no address of this machine (${code})`, { cause })
    : cause;
}

/** Whether the database can be read now. */
export async function answers(db: Db): Promise<boolean> {
  try {
    await db.selectFrom("sealed_seed").select("id").executeTakeFirstOrThrow();
    return true;
  } catch {
    return false;
  }
}

/** At once, beside the first requests, and then every minute. */
export function startMaintenance(maintain: () => Promise<void>, log: Log): ReturnType<typeof setInterval> {
  const run = (): void => {
    maintain().catch((error: unknown) => log("error", "maintenance_failed", { error: String(error) }));
  };
  run();
  return setInterval(run, MAINTENANCE_INTERVAL);
}
