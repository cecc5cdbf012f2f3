/** Content codings that are offered (RFC 9110 section 8.4.1, RFC 7932), the smaller answer first. */
const CODINGS = [["br", "brotli"], ["gzip", "gzip"]] as const;

type Coding = (typeof CODINGS)[number];

/** The coding that an `Accept-Encoding` asks for (RFC 9110 section 12.5.3); undefined for the content as it is. */
export function acceptedCoding(header: string | null): Coding | undefined {
  const accepted = (header ?? "").toLowerCase().split(",").map((item) => item.trim().split(/\s*;\s*/))
    .filter(([, weight]) => !/^q=0(?:\.0{1,3})?$/.test(weight ?? "")).map(([name]) => name);
  return CODINGS.find(([name]) => accepted.includes(name));
}

/** A text in UTF-8, compressed by the platform (Compression Standard). */
async function compress(text: string, [, format]: Coding): Promise<ArrayBuffer> {
  // The type knows the formats of before brotli.
  const stream = new CompressionStream(format as CompressionFormat);
  return await new Response(new Blob([text]).stream().pipeThrough(stream)).arrayBuffer();
}

/** A text of a name that never holds another. */
export interface NamedText {
  readonly path: string;
  readonly body: string;
}

/** It as the content of an answer, and the headers that say so. */
export interface Compressed {
  readonly body: string | ArrayBuffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Makes what compresses texts that never change, each when it is first asked for in a coding, and then kept. Only for
 * what holds nobody's secrets: the length of a compressed page tells of what in it is alike (BREACH), so pages go as
 * they are.
 */
export function createCompressor(): (text: NamedText, acceptEncoding: string | null) => Promise<Compressed> {
  const kept = new Map<string, Promise<ArrayBuffer>>();
  return async ({ path, body: text }, acceptEncoding) => {
    const vary = { vary: "Accept-Encoding" };
    const coding = acceptedCoding(acceptEncoding);
    if (coding === undefined) return { body: text, headers: vary };
    const place = `${coding[0]} ${path}`;
    const body = kept.get(place) ?? compress(text, coding);
    kept.set(place, body);
    return { body: await body, headers: { ...vary, "content-encoding": coding[0] } };
  };
}
