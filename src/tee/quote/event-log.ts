import { sha384 } from "@noble/hashes/sha2.js";
import { concat, utf8 } from "../../lib/bytes.ts";
import { hexOf } from "./encoding.ts";
import { CheckFault } from "./fault.ts";
import { readHex, readJson, readList, readObject, readOptional, readText } from "./json.ts";
import type { TdReport } from "./parse.ts";

export interface LoggedWorkload {
  readonly appId: Uint8Array | undefined;
  readonly composeHash: Uint8Array | undefined;
  readonly instanceId: Uint8Array | undefined;
  readonly osImageHash: Uint8Array | undefined;
  /** JSON with name and id of the key provider. */
  readonly keyProvider: Uint8Array | undefined;
}

interface LoggedEvent {
  readonly register: number;
  readonly digest: Uint8Array;
  /** Name and payload under the digest; undefined for the firmware's events, whose digests cover other data. */
  readonly content: { readonly name: string; readonly payload: Uint8Array } | undefined;
}

const MOST_LOG = 4 * 1024 * 1024;
/** The type of dstack's own events. */
const DSTACK_EVENT = 0x08000001;
const DSTACK_REGISTER = 3;
/** The workload itself writes the events after it. */
const END_OF_BOOT = "system-ready";

const NAMED: Readonly<Record<string, keyof LoggedWorkload>> = {
  "app-id": "appId",
  "compose-hash": "composeHash",
  "instance-id": "instanceId",
  "os-image-hash": "osImageHash",
  "key-provider": "keyProvider",
};

/** Returns the digest of a dstack event: of type, name and payload joined by colons, or of their canonical JSON. */
function digestEvent(name: string, payload: Uint8Array, version: unknown): Uint8Array {
  if (version === 2) {
    // RFC 8785: sorted members, no spaces. `JSON.stringify` already escapes strings as required.
    return sha384(utf8(JSON.stringify({ name, payload: hexOf(payload), type: DSTACK_EVENT })));
  }
  const type = new Uint8Array(4);
  new DataView(type.buffer).setUint32(0, DSTACK_EVENT, true);
  return sha384(concat(type, utf8(`:${name}:`), payload));
}

function readEvent(value: unknown, at: string): LoggedEvent {
  const event = readObject(value, at);
  const register = event["imr"];
  if (typeof register !== "number" || ![0, 1, 2, 3].includes(register)) {
    throw new TypeError(`${at}.imr is not an RTMR`);
  }
  const isDstack = event["event_type"] === DSTACK_EVENT;
  if (!isDstack) {
    if (register === DSTACK_REGISTER) {
      throw new TypeError(`${at} extends RTMR3 and is not an event of dstack`);
    }
    return { register, digest: readHex(event["digest"], `${at}.digest`, 48), content: undefined };
  }
  const version = readOptional((given) => given, event["version"], at);
  if (version !== undefined && version !== 1 && version !== 2) {
    throw new TypeError(`${at}.version is not known`);
  }
  const name = readText(event["event"], `${at}.event`);
  if (!name.isWellFormed()) throw new TypeError(`${at}.event is not well-formed`);
  // The digest of version 1 is ambiguous for a name with a colon.
  if (name.includes(":")) throw new TypeError(`${at}.event has a colon`);
  const payload = readHex(event["event_payload"], `${at}.event_payload`);
  return { register, digest: digestEvent(name, payload, version), content: { name, payload } };
}

/** Parses dstack's event log. Throws `CheckFault`. Recomputes the digests of dstack's own events. */
export function parseEventLog(text: string): readonly LoggedEvent[] {
  if (text.length > MOST_LOG) throw new CheckFault("The event log is too long");
  return readJson(
    text,
    (value) => readList(readEvent, value, "the event log"),
    (message) => new CheckFault(`The event log cannot be read: ${message}`),
  );
}

function replay(events: readonly LoggedEvent[], register: number): Uint8Array {
  return events.filter((event) => event.register === register).reduce<Uint8Array>(
    (value, { digest }) => sha384(concat(value, digest)),
    new Uint8Array(48),
  );
}

/** Throws `CheckFault` if the end of boot is missing or a name occurs twice. */
function readWorkload(events: readonly LoggedEvent[]): LoggedWorkload {
  const named = events.flatMap(({ register, content }) =>
    register === DSTACK_REGISTER && content !== undefined ? [content] : []
  );
  const end = named.findIndex(({ name }) => name === END_OF_BOOT);
  if (end < 0) throw new CheckFault(`The event log has no ${END_OF_BOOT}`);
  const found: Partial<Record<keyof LoggedWorkload, Uint8Array>> = {};
  for (const { name, payload } of named.slice(0, end)) {
    const member = Object.hasOwn(NAMED, name) ? NAMED[name]! : undefined;
    if (member === undefined) continue;
    if (found[member] !== undefined) throw new CheckFault(`The event log has ${name} twice`);
    found[member] = payload;
  }
  const { appId, composeHash, instanceId, osImageHash, keyProvider } = found;
  return { appId, composeHash, instanceId, osImageHash, keyProvider };
}

/**
 * Replays the log to the report's four RTMRs and returns the workload that dstack's boot measured. Throws
 * `CheckFault` if one differs. Authenticates only the digests of the firmware's events.
 */
export function replayEventLog(events: readonly LoggedEvent[], report: TdReport): LoggedWorkload {
  const registers = [report.rtmr0, report.rtmr1, report.rtmr2, report.rtmr3];
  registers.forEach((expected, register) => {
    if (hexOf(replay(events, register)) !== hexOf(expected)) {
      throw new CheckFault(`The event log does not replay to RTMR${register}`);
    }
  });
  return readWorkload(events);
}
