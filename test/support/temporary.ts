import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is gone, with all in it, when its `using` block ends. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** A new empty folder, readable by its owner only: `using folder = temporaryFolder();`. */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "holdfast-"));
  return {
    path,
    [Symbol.dispose](): void {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
