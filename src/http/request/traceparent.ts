/** W3C Trace Context section 3.2.2: version, trace id, parent id and flags, and in later versions more. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The only flag of version 00 (section 3.2.2.5). */
const SAMPLED = 1;

/**
 * Returns the trace of a request as `traceparent` of version 00, or undefined for none and for an invalid one. The
 * service adds no span of its own, so that the spans of what it calls stay children of the caller's.
 */
export function readTraceparent(headers: Pick<Headers, "get">): string | undefined {
  const [, version, trace, parent, flags, rest] = TRACEPARENT.exec(headers.get("traceparent") ?? "") ?? [];
  if (version === undefined || (version === "00" && rest !== undefined)) return undefined;
  // Section 4.3: of a later version only what this one defines is passed on.
  const known = version === "00" ? flags : `0${parseInt(flags!, 16) & SAMPLED}`;
  return `00-${trace}-${parent}-${known}`;
}
