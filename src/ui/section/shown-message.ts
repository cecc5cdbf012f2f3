import type { CheckedSignRequest } from "../../keys/digest.ts";
import { toHex } from "../../lib/bytes.ts";
import type { ShownMessage } from "./explanation.ts";

/** Returns a message for display, from the bytes that are hashed; undefined for other requests. */
export function shownMessage(document: CheckedSignRequest): ShownMessage | undefined {
  if (document.kind !== "message") return undefined;
  switch (document.format) {
    case "personal_sign":
      return document.encoding === "utf8"
        ? { kind: "text", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(document.payload) }
        : { kind: "bytes", text: toHex(document.payload) };
    case "raw":
      return { kind: "raw", text: toHex(document.payload) };
    case "digest":
      return { kind: "digest", text: toHex(document.digest) };
  }
}
