import { StartRefusal } from "./refusal.ts";

/** What a file or an answer holds. */
export interface QuoteInput {
  readonly quote: Uint8Array;
  readonly claims?: Uint8Array;
  readonly eventLog?: string;
}

/** Bytes of hex, with or without `0x`, or of base64; undefined for anything else. */
function readEncoded(text: string): Uint8Array | undefined {
  const compact = text.replaceAll(/\s/g, "");
  const hex = compact.replace(/^0x/, "");
  if (hex !== "" && hex.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(hex)) return Uint8Array.fromHex(hex);
  try {
    return compact === "" ? undefined : Uint8Array.fromBase64(compact);
  } catch {
    return undefined;
  }
}

function readAnswer(text: string): QuoteInput {
  let answer: Readonly<Record<string, unknown>>;
  try {
    answer = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw new StartRefusal("The quote's file looks like JSON and is none");
  }
  const quote = typeof answer["quote"] === "string" ? readEncoded(answer["quote"]) : undefined;
  if (quote === undefined) throw new StartRefusal("The JSON has no quote in it");
  // dstack's guest agent says `event_log` where we say `eventLog`.
  const eventLog = answer["eventLog"] ?? answer["event_log"];
  const { claims } = answer;
  return {
    quote,
    ...(typeof claims === "string" ? { claims: new TextEncoder().encode(claims) } : {}),
    ...(typeof eventLog === "string" && eventLog !== "" ? { eventLog } : {}),
  };
}

/**
 * Reads a quote as bytes, in hex or in base64, or the whole JSON answer of `GET /api/keys/:keyId/quote` or of dstack's
 * `GetQuote`. What is none of these counts as bytes, and will be no quote. Throws `StartRefusal` for JSON without one.
 */
export function readQuoteInput(bytes: Uint8Array): QuoteInput {
  // A quote begins with its version, which no text has.
  if (bytes[1] === 0) return { quote: bytes };
  const text = new TextDecoder().decode(bytes).trim();
  if (text.startsWith("{")) return readAnswer(text);
  return { quote: readEncoded(text) ?? bytes };
}
