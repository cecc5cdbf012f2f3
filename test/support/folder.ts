import { temporaryFolder } from "./temporary.ts";

/** Runs the job with a new folder, which is deleted afterwards. */
export async function inFolder<T>(job: (folder: string) => Promise<T>): Promise<T> {
  using folder = temporaryFolder();
  return await job(folder.path);
}
