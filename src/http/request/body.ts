import { join } from "../../lib/bytes.ts";
import { yieldToEventLoop } from "../../lib/cooperative.ts";
import { ProtocolError } from "../../lib/error.ts";
import { jsonPointer, parseJson } from "../../lib/json.ts";
import { hasTooManySmallChunks } from "../../lib/stream.ts";
import { hasNul } from "../../lib/text.ts";
import { throwIfLate } from "./recheck-after-slow-body.ts";
import { parseParameters } from "./parameters.ts";
import type { IncomingRequest, RequestContext } from "../request-context.ts";
import { readInput, type Schema } from "./input.ts";

export const KIB = 1024;
/** The limit of most endpoints, in bytes. */
export const BODY_LIMIT = 64 * KIB;

export interface BodyOptions {
  /** Bytes; `BODY_LIMIT` by default. */
  readonly limit?: number;
}

export interface JsonOptions extends BodyOptions {
  /** `empty-allowed`: an empty body without Content-Type reads as `{}`. */
  readonly content?: "required" | "empty-allowed";
  /** `signed`: texts may contain a NUL. They are hashed, but never stored or searched. */
  readonly texts?: "stored" | "signed";
  /** Called with the length of the text, in characters, before it is parsed. */
  readonly onText?: (length: number) => void;
  /** The type of the top-level value. `any` is for protocols that also allow arrays. */
  readonly top?: "object" | "any";
}

/** Keeps a byte order mark, which the parser refuses (RFC 8259 section 8.1). */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function tooLarge(limit: number): ProtocolError {
  return new ProtocolError("body_too_large", `Cannot read body: larger than ${limit} bytes`);
}

/** Throws if the announced length exceeds the limit, before reading a byte. Returns true if a length was announced. */
function assertAnnouncedLength(request: IncomingRequest, limit: number): boolean {
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit);
  return announced !== null;
}

/**
 * Reads a body of unannounced length. Throws at the first byte over the limit, or if the chunks are too small. The
 * bytes after the last chunk (RFC 9112 section 7.1.2) are also framing. One runtime ends the body before it has parsed
 * them, and may then reject the request. Waiting one turn prevents that request from being executed, unless those bytes
 * come in a later packet (see docs/why/http-framing.md).
 */
async function collect(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      await yieldToEventLoop();
      signal.throwIfAborted();
      return join(chunks);
    }
    length += value.length;
    chunks.push(value);
    const isTooFine = hasTooManySmallChunks(chunks.length, length);
    if (length <= limit && !isTooFine) continue;
    reader.cancel().catch(() => {});
    if (length > limit) throw tooLarge(limit);
    throw new ProtocolError("invalid_request", "Cannot read body: sent in too many small pieces");
  }
}

/** Reads a body. One with an announced length is read at once, because the server reads no further than that. */
async function readBytes(request: IncomingRequest, limit: number): Promise<Uint8Array> {
  const isAnnounced = assertAnnouncedLength(request, limit);
  try {
    if (isAnnounced) return new Uint8Array(await request.arrayBuffer());
    return request.body === null
      ? new Uint8Array()
      : await collect(request.body, { limit, signal: request.signal });
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError("invalid_request", "Cannot read body: cut off", { cause: error });
  }
}

async function readText(context: RequestContext, limit: number): Promise<string> {
  const { request, lateBody } = context;
  if ((request.headers.get("content-encoding") ?? "identity") !== "identity") {
    throw new ProtocolError("unsupported_media_type", "Cannot read body: Content-Encoding is not supported");
  }
  const bytes = lateBody ?? await readBytes(request, limit);
  if (bytes.length > limit) throw tooLarge(limit);
  // Parsing a larger body takes tens of milliseconds.
  if (bytes.length > BODY_LIMIT) await context.enterCpuQueue();
  if (lateBody === undefined) throwIfLate(context, bytes);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ProtocolError("invalid_request", "Cannot read body: not UTF-8");
  }
}

/** Returns the lower-case media type without parameters; undefined for a charset other than UTF-8. */
function mediaType(header: string): string | undefined {
  const [type, ...parameters] = header.split(";");
  for (const parameter of parameters) {
    const [name, value] = parameter.split("=");
    const charset = value?.trim().replace(/^"(.*)"$/, "$1").toLowerCase();
    if (name?.trim().toLowerCase() === "charset" && charset !== "utf-8") return undefined;
  }
  return type!.trim().toLowerCase();
}

function assertMediaType(request: IncomingRequest, expected: string): void {
  const header = request.headers.get("content-type");
  if (header === null || mediaType(header) !== expected) {
    throw new ProtocolError("unsupported_media_type", `Cannot read body: Content-Type must be ${expected}`);
  }
}

/**
 * Reads the JSON body with a schema. Throws `unsupported_media_type`, `body_too_large`, `invalid_json` (see
 * `parseJson`) or `invalid_request` (see `readInput`; also for too many small chunks), in this order. Keeps no byte
 * past the limit.
 */
export async function readJson<T>(
  context: RequestContext,
  schema: Schema<T>,
  { limit = BODY_LIMIT, content = "required", texts = "stored", top = "object", onText }: JsonOptions = {},
): Promise<T> {
  const { request } = context;
  const isUntyped = content === "empty-allowed" && !request.headers.has("content-type");
  if (!isUntyped) assertMediaType(request, "application/json");
  const text = await readText(context, limit);
  onText?.(text.length);
  if (text === "" && content === "empty-allowed") return readInput(schema, {});
  if (text === "") throw new ProtocolError("invalid_json", "Cannot read JSON: the body is empty");
  if (isUntyped) assertMediaType(request, "application/json");
  const value = top === "object" ? assertObject(parseJson(text)) : parseJson(text);
  // JSON cannot contain a NUL unescaped.
  if (texts === "stored" && text.includes("\\u0000")) assertNoNul(value, []);
  return readInput(schema, value);
}

/** Throws `invalid_request` for the first string or name with a NUL. */
function assertNoNul(value: unknown, path: readonly (string | number)[]): void {
  if (typeof value === "string" && hasNul(value)) {
    const errors = [{ path: jsonPointer(path), message: "NUL character" }];
    throw new ProtocolError("invalid_request", "Cannot read request: a text has a NUL character", { errors });
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    assertNoNul(name, path);
    assertNoNul(member, [...path, name]);
  }
}

/** Throws unless the value is an object. Object schemas would accept an array as an object without members. */
function assertObject(value: unknown): unknown {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new ProtocolError("invalid_request", "Cannot read request: the body must be a JSON object");
}

/** Reads the text of a form body (application/x-www-form-urlencoded). Throws like `readJson`. */
export async function readFormText(
  context: RequestContext,
  { limit = BODY_LIMIT }: BodyOptions = {},
): Promise<string> {
  assertMediaType(context.request, "application/x-www-form-urlencoded");
  return await readText(context, limit);
}

/** Reads the form body with a schema, as an object of strings. Throws like `readJson`. */
export async function readForm<T>(
  context: RequestContext,
  schema: Schema<T>,
  options: BodyOptions = {},
): Promise<T> {
  return readInput(schema, parseParameters(await readFormText(context, options)), "parameter");
}
