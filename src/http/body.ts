import { ProtocolError } from "../lib/error.ts";
import { parseJson } from "./json.ts";
import { parseParameters } from "./parameters.ts";
import type { RequestContext } from "./request-context.ts";
import { readInput, type Schema } from "./schema.ts";

export const KIB = 1024;
/** The size of body most endpoints take. */
export const BODY_LIMIT = 64 * KIB;

export interface BodyOptions {
  /** Bytes; `BODY_LIMIT` by default. */
  readonly limit?: number;
}

export interface JsonOptions extends BodyOptions {
  /** `empty-allowed`: no body, and then no Content-Type, reads as `{}`. */
  readonly content?: "required" | "empty-allowed";
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function tooLarge(limit: number): ProtocolError {
  return new ProtocolError("body_too_large", `Cannot read body: larger than ${limit} bytes`);
}

/** Refuses by the announced length before a byte is read; a missing one is counted while reading. */
function assertAnnouncedLength(request: Request, limit: number): void {
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit);
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    length += value.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(value);
  }
}

/** The body's text, read as it comes in and given up at the first byte over the limit or that is no UTF-8. */
async function readText(request: Request, limit: number): Promise<string> {
  if (request.headers.has("content-encoding")) {
    throw new ProtocolError("unsupported_media_type", "Cannot read body: Content-Encoding is not supported");
  }
  assertAnnouncedLength(request, limit);
  if (request.body === null) return "";
  const reader = request.body.getReader();
  try {
    const chunks = await collect(reader, limit);
    const decoder = chunks.length > 1
      ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      : strictDecoder;
    return decodeChunks(chunks, decoder);
  } catch (error) {
    reader.cancel().catch(() => {});
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError("invalid_request", "Cannot read body: not UTF-8, or cut off", { cause: error });
  }
}

function decodeChunks(chunks: readonly Uint8Array[], decoder: TextDecoder): string {
  if (chunks.length === 1) return decoder.decode(chunks[0]);
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}

/** The media type without parameters, lower case; undefined where a charset other than UTF-8 is named. */
function mediaType(header: string): string | undefined {
  const [type, ...parameters] = header.split(";");
  for (const parameter of parameters) {
    const [name, value] = parameter.split("=");
    const charset = value?.trim().replace(/^"(.*)"$/, "$1").toLowerCase();
    if (name?.trim().toLowerCase() === "charset" && charset !== "utf-8") return undefined;
  }
  return type!.trim().toLowerCase();
}

function assertMediaType(request: Request, expected: string): void {
  const header = request.headers.get("content-type");
  if (header === null || mediaType(header) !== expected) {
    throw new ProtocolError("unsupported_media_type", `Cannot read body: Content-Type must be ${expected}`);
  }
}

/**
 * The JSON body as its schema reads it. Throws `unsupported_media_type`, `body_too_large`, `invalid_json` (see
 * `parseJson`) or `invalid_request` (see `readInput`), in this order; no byte past the limit is kept.
 */
export async function readJson<T>(
  { request }: RequestContext,
  schema: Schema<T>,
  { limit = BODY_LIMIT, content = "required" }: JsonOptions = {},
): Promise<T> {
  const isUntyped = content === "empty-allowed" && !request.headers.has("content-type");
  if (!isUntyped) assertMediaType(request, "application/json");
  const text = await readText(request, limit);
  if (text === "" && content === "empty-allowed") return readInput(schema, {});
  if (isUntyped) assertMediaType(request, "application/json");
  return readInput(schema, parseJson(text));
}

/** The form body (application/x-www-form-urlencoded) as its schema reads it, from an object of texts. As `readJson` otherwise. */
export async function readForm<T>(
  { request }: RequestContext,
  schema: Schema<T>,
  { limit = BODY_LIMIT }: BodyOptions = {},
): Promise<T> {
  assertMediaType(request, "application/x-www-form-urlencoded");
  return readInput(schema, parseParameters(await readText(request, limit)));
}
