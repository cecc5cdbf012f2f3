import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import process from "node:process";
import { printable } from "../../lib/text.ts";
import { StartRefusal } from "../process/refusal.ts";

/** Above any quote, collateral, policy, certificate or allow-list. */
const MOST_BYTES = 8 * 1024 * 1024;
const PIECE = 64 * 1024;

async function gather(pieces: AsyncIterable<Uint8Array>, name: string, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > most) {
      throw new StartRefusal(`${name} is too long: ${most / 1024 / 1024} MiB are read at most`);
    }
    parts.push(piece);
  }
  return Buffer.concat(parts);
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(PIECE), 0, PIECE, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Reads a file, device or pipe. Throws `StartRefusal` above `most` bytes: a device may have no end. */
export async function readInputFile(path: string, most = MOST_BYTES): Promise<Uint8Array> {
  return await gather(piecesOf(path), printable(path), most);
}

export async function readInputText(path: string, most = MOST_BYTES): Promise<string> {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await readInputFile(path, most));
}

export async function readStandardInput(): Promise<Uint8Array> {
  return await gather(process.stdin as AsyncIterable<Uint8Array>, "Standard input", MOST_BYTES);
}
