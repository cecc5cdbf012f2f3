import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is deleted with its content when its `using` block ends. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** Creates an empty folder, readable only by its owner: `using folder = temporaryFolder();`. */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "holdfast-"));
  return {
    path,
    [Symbol.dispose](): void {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
