import type { MetricsAddress } from "../../config/server.ts";
import { createMetricsApp } from "../../http/metrics-app.ts";
import type { MetricsFormat } from "../../lib/metrics.ts";
import { serve } from "../../runtime/serve.ts";
import type { Server } from "../../runtime/server.ts";
import { printLog } from "./print.ts";
import { StartRefusal } from "./refusal.ts";

/** The start of the line with the address of the metrics, of which a supervisor reads the rest. */
export const METRICS_LINE = "metrics at ";

/** Serves `/metrics` and prints its address. Throws `StartRefusal` if the address cannot be used. */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  format: (format: MetricsFormat) => Promise<string>,
): Promise<Server> {
  try {
    const server = await serve({ hostname: host, port, handler: createMetricsApp(format) });
    const name = host.includes(":") ? `[${host}]` : host;
    printLog(`${METRICS_LINE}http://${name}:${server.port}/metrics\n`);
    return server;
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code !== "string") throw cause;
    throw new StartRefusal(`METRICS_ADDRESS ${host}:${port} cannot be used (${code})`, { cause });
  }
}
