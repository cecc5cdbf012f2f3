import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** The libraries that the executable loads, in place of a base image from a registry. */
const LIBRARIES = ["libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"];

/** Returns why no image can be built and run here, or undefined if it can: as root, with buildah, without a daemon. */
export function imageObstacle(): string | undefined {
  if (process.arch !== "x64" || process.getuid?.() !== 0) return "An image is built here as root on x64 only";
  return spawnSync("buildah", ["--version"]).status === 0 ? undefined : "There is no buildah";
}

/**
 * Builds the image of a release on a base that has this machine's libc alone, and runs a command in it. Returns the id
 * of the image and the output.
 */
export function runInImage(
  release: string,
  work: string,
  list: readonly string[],
): { readonly id: string; readonly output: string } {
  const stores = ["--storage-driver", "vfs", "--root", join(work, "root"), "--runroot", join(work, "run")];
  const buildah = (...list: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync("buildah", [...stores, ...list], {
      cwd: release,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`Cannot run buildah ${list.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  const container = buildah("from", "scratch");
  const root = buildah("mount", container);
  for (const folder of ["lib64", "lib/x86_64-linux-gnu", "tmp"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync("/lib64/ld-linux-x86-64.so.2", join(root, "lib64/ld-linux-x86-64.so.2"));
  for (const name of LIBRARIES) {
    copyFileSync(join("/lib/x86_64-linux-gnu", name), join(root, "lib/x86_64-linux-gnu", name));
  }
  buildah("umount", container);
  buildah("commit", "-q", container, "localhost/base:local");
  const parameters = ["--build-arg", "BASE=localhost/base:local", "--build-arg", "TARGETARCH=amd64"];
  const id = buildah(
    "bud",
    "-q",
    "--isolation",
    "chroot",
    ...parameters,
    "--timestamp",
    "0",
    "-t",
    "release",
    ".",
  );
  const running = buildah("from", "release");
  return { id, output: buildah("run", "--isolation", "chroot", running, "--", ...list) };
}
