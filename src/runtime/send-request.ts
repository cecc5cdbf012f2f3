import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { Fetch, FetchedResponse } from "../lib/outgoing.ts";

/** Creates a lookup that returns the addresses that were checked, for any host. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };
}

function toFetchedResponse(response: IncomingMessage): FetchedResponse {
  return {
    status: response.statusCode!,
    headers: { get: (name) => response.headers[name]?.toString() ?? null },
    body: Readable.toWeb(response) as ReadableStream<Uint8Array>,
  };
}

/**
 * Sends a request over a new connection to one of `init.addresses`. The platform's `fetch` would resolve the host
 * itself, and a name's addresses may change between a check and the request. Asks for an uncompressed response and
 * rejects another.
 */
export const sendRequest: Fetch = async (url, { method, headers, body = "", signal, addresses, ...init }) => {
  // Loaded here because most services send no such request.
  const { request } = await (url.startsWith("https:") ? import("node:https") : import("node:http"));
  const { promise, resolve, reject } = Promise.withResolvers<FetchedResponse>();
  const { bytes = new TextEncoder().encode(body) } = init;
  const length = method === "POST" ? { "content-length": String(bytes.length) } : {};
  const sent = request(url, {
    method,
    headers: { ...headers, ...length, "accept-encoding": "identity" },
    agent: false,
    lookup: fixedLookup(addresses),
    signal,
  });
  sent.on("error", reject);
  // The end of the time limit counts, whatever the platform's client does. Bun reports no error of an upgrade.
  signal.addEventListener("abort", () => reject(signal.reason));
  sent.on("upgrade", (_response, socket) => {
    socket.destroy();
    reject(new Error("The response switches the protocol"));
  });
  sent.on("response", (response) => {
    if ((response.headers["content-encoding"] ?? "identity") === "identity") {
      return resolve(toFetchedResponse(response));
    }
    response.destroy();
    reject(new Error("The response is compressed"));
  });
  sent.end(bytes);
  return await promise;
};
