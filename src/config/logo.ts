import { toAsset } from "../ui/assets.ts";
import type { Logo } from "../ui/brand.ts";
import { readSvg } from "./read-svg.ts";

/** Sides of a PNG logo in pixels. It is shown at 28 CSS pixels, and browsers use it as the icon of tabs. */
const SIDES = { least: 16, most: 1024 };

/** The signature, and the length and name of the first chunk (PNG, Third Edition, sections 5.2 and 11.2.1). */
const PNG_START = Uint8Array.of(
  0x89,
  0x50,
  0x4e,
  0x47,
  0x0d,
  0x0a,
  0x1a,
  0x0a,
  0,
  0,
  0,
  13,
  0x49,
  0x48,
  0x44,
  0x52,
);

/** A logo that must not be served. The message ends a sentence that names the file. */
export class LogoError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LogoError";
  }
}

/**
 * Returns the asset of an SVG or PNG file, recognised by its content. Throws `LogoError` for anything else, for a PNG
 * that is not square or has sides outside of 16 to 1024 pixels, and for an SVG that `readSvg` refuses. Does not
 * decode the pixels of a PNG.
 */
export function readLogo(bytes: Uint8Array<ArrayBuffer>): Logo {
  if (PNG_START.every((byte, index) => bytes[index] === byte)) {
    checkSides(bytes);
    return toAsset("logo.png", bytes);
  }
  const text = readUtf8(bytes);
  const fault = readSvg(text);
  if (fault !== undefined) throw new LogoError(fault);
  return toAsset("logo.svg", text);
}

function checkSides(png: Uint8Array<ArrayBuffer>): void {
  if (png.length < 33) throw new LogoError("it is not a whole PNG");
  const header = new DataView(png.buffer, png.byteOffset);
  const [width, height] = [header.getUint32(16), header.getUint32(20)];
  if (width === height && width >= SIDES.least && width <= SIDES.most) return;
  throw new LogoError(`a PNG must be square, with sides of ${SIDES.least} to ${SIDES.most} pixels`);
}

function readUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new LogoError("it is neither a PNG nor an SVG in UTF-8");
  }
}
