/** Supported content codings (RFC 9110 section 8.4.1, RFC 7932), best compression first. */
const CODINGS = [["br", "brotli"], ["gzip", "gzip"]] as const;

type Coding = (typeof CODINGS)[number];

/** Selects a coding from `Accept-Encoding` (RFC 9110 section 12.5.3); undefined for none. */
export function acceptedCoding(header: string | null): Coding | undefined {
  const items = (header ?? "").toLowerCase().split(",");
  const accepted = items.map((item) => item.split(";").map((part) => part.trim()))
    .filter(([, weight]) => !/^q=0(?:\.0{1,3})?$/.test(weight ?? "")).map(([name]) => name);
  return CODINGS.find(([name]) => accepted.includes(name));
}

async function compress(text: NamedBody["body"], [, format]: Coding): Promise<ArrayBuffer> {
  // TypeScript's type does not include brotli.
  const stream = new CompressionStream(format as CompressionFormat);
  return await new Response(new Blob([text]).stream().pipeThrough(stream)).arrayBuffer();
}

/** A file whose path always has the same content. */
export interface NamedBody {
  readonly path: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

export interface Compressed {
  readonly body: NamedBody["body"] | ArrayBuffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a cache of compressed files. Not for secrets: a compressed page's length reveals repeats (BREACH). */
export function createCompressor(): (file: NamedBody, acceptEncoding: string | null) => Promise<Compressed> {
  const cached = new Map<string, Promise<ArrayBuffer>>();
  return async ({ path, body: content }, acceptEncoding) => {
    const vary = { vary: "Accept-Encoding" };
    const coding = acceptedCoding(acceptEncoding);
    if (coding === undefined) return { body: content, headers: vary };
    const place = `${coding[0]} ${path}`;
    const body = cached.get(place) ?? compress(content, coding);
    cached.set(place, body);
    return { body: await body, headers: { ...vary, "content-encoding": coding[0] } };
  };
}
