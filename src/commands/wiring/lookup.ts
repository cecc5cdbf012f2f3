import { lookup as lookupAll } from "node:dns/promises";

/** The addresses of a host, as the system finds them; none where it finds none. */
export async function lookup(hostname: string): Promise<readonly string[]> {
  try {
    return (await lookupAll(hostname, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
