import type { Broker } from "../tee/broker/broker-client.ts";
import { LENGTH, readBytes } from "../tee/broker/broker-protocol.ts";
import { isConstant } from "../tee/hardware.ts";

/** A source of a sealing key, as an operator names it. A missing detail is the configuration's own. */
export type NamedSource =
  | { readonly name: "configured" | "simulated" }
  | { readonly name: "file"; readonly path: string | undefined }
  | { readonly name: "dstack"; readonly socket: string | undefined }
  | { readonly name: "broker"; readonly broker: Pick<Broker, "url" | "publicKey"> | undefined };

export const KEY_SOURCE_SYNTAX = "configured | dstack[:SOCKET] | file[:PATH] | broker[:URL#KEY] | simulated";

type ReadDetail = (detail: string | undefined) => NamedSource | undefined;

const READERS: Readonly<Record<string, ReadDetail>> = {
  configured: (detail) => detail === undefined ? { name: "configured" } : undefined,
  simulated: (detail) => detail === undefined ? { name: "simulated" } : undefined,
  file: (path) => ({ name: "file", path }),
  dstack: (socket) => ({ name: "dstack", socket }),
  broker: readBrokerSource,
};

function readBrokerSource(detail: string | undefined): NamedSource | undefined {
  if (detail === undefined) return { name: "broker", broker: undefined };
  const [url = "", key = ""] = detail.split("#");
  const parsed = URL.parse(url);
  const publicKey = readBytes(key, LENGTH);
  const isHttp = parsed?.protocol === "http:" || parsed?.protocol === "https:";
  if (!isHttp || parsed.origin !== url || publicKey === undefined || isConstant(publicKey)) return undefined;
  return { name: "broker", broker: { url, publicKey } };
}

/** Reads the name of a source: `name` or `name:detail`. Returns undefined if it is not in `KEY_SOURCE_SYNTAX`. */
export function readKeySource(text: string): NamedSource | undefined {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  const detail = colon < 0 ? undefined : text.slice(colon + 1);
  if (detail === "" || !Object.hasOwn(READERS, name)) return undefined;
  return READERS[name]!(detail);
}

/** Reads `SEAL_SOURCES`: names of sources, separated by commas. */
export function readSealSources(text: string, faults: string[]): readonly NamedSource[] | undefined {
  if (text === "") return [];
  const sources = text.split(",").map((part) => readKeySource(part.trim()));
  const isKnown = (source: NamedSource | undefined): source is NamedSource =>
    source !== undefined && source.name !== "configured";
  if (sources.every(isKnown)) return sources;
  const syntax = KEY_SOURCE_SYNTAX.replace("configured | ", "");
  faults.push(`SEAL_SOURCES must be sources separated by commas, each of them ${syntax}`);
  return undefined;
}
