import { constants } from "node:fs";
import { mkdir, open, rmdir } from "node:fs/promises";

/** Operations on configfs, replaceable in tests. Errors have the operating system's `code`. */
export interface TsmFiles {
  makeEntry(path: string): Promise<void>;
  /** Reads a whole attribute. Ignores the size from `stat`, which is 0 for a quote. */
  read(path: string): Promise<Uint8Array>;
  /** Writes all bytes in one call. The kernel does not report an error of the commit on close. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  removeEntry(path: string): Promise<void>;
}

const CHUNK = 64 * 1024;
/** Above any attribute of a kernel. */
const LARGEST = 4 * 1024 * 1024;

async function readAll(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY);
  try {
    let whole = new Uint8Array();
    for (;;) {
      const chunk = new Uint8Array(CHUNK);
      const { bytesRead } = await file.read(chunk, 0, CHUNK, null);
      if (bytesRead === 0) return whole;
      const longer = new Uint8Array(whole.length + bytesRead);
      longer.set(whole);
      longer.set(chunk.subarray(0, bytesRead), whole.length);
      whole = longer;
      if (whole.length > LARGEST) throw new RangeError("Cannot read attribute: too large");
    }
  } finally {
    await file.close();
  }
}

async function writeOnce(path: string, bytes: Uint8Array): Promise<void> {
  // Without O_CREAT: the kernel creates the attributes, and a missing one must not become a file.
  const file = await open(path, constants.O_WRONLY);
  try {
    const { bytesWritten } = await file.write(bytes, 0, bytes.length, null);
    if (bytesWritten !== bytes.length) throw new RangeError("Cannot write attribute: cut short");
  } finally {
    await file.close();
  }
}

/** The kernel's configfs. Does not block the event loop: reading a quote can take 30 seconds. */
export const TSM_FILES: TsmFiles = {
  makeEntry: async (path) => void await mkdir(path),
  read: readAll,
  write: writeOnce,
  removeEntry: rmdir,
};
