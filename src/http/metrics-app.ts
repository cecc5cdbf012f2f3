import type { MetricsFormat } from "../lib/metrics.ts";
import type { IncomingRequest } from "./request-context.ts";

const CONTENT_TYPES: Readonly<Record<MetricsFormat, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/**
 * Creates the server of `/metrics`, for a port of its own. Answers Prometheus text, or OpenMetrics if `Accept` names
 * it. Authenticates no request: the address decides who can read.
 */
export function createMetricsApp(
  format: (format: MetricsFormat) => Promise<string>,
): (request: IncomingRequest) => Promise<Response> {
  return async ({ method, url, headers }) => {
    if (URL.parse(url)?.pathname !== "/metrics") return refuse(404);
    if (method !== "GET" && method !== "HEAD") return refuse(405, { allow: "GET, HEAD" });
    const kind = headers.get("accept")?.includes("application/openmetrics-text") === true
      ? "openmetrics"
      : "prometheus";
    const text = await format(kind).catch(() => undefined);
    if (text === undefined) return refuse(503);
    return new Response(method === "HEAD" ? null : text, {
      headers: { "content-type": CONTENT_TYPES[kind], "cache-control": "no-store" },
    });
  };
}

function refuse(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...headers, "cache-control": "no-store" } });
}
