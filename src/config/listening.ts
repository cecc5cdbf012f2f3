/** A port, 0 for any that is free; undefined, after naming the fault, for anything else. */
export function readPort(text: string, faults: string[]): number | undefined {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  faults.push("PORT must be a number from 0 to 65535");
  return undefined;
}

/** More than any machine has use for. */
const MOST_PROCESSES = 64;

/** How many processes serve; undefined, after naming the fault, for anything else. */
export function readProcesses(text: string, faults: string[]): number | undefined {
  if (/^[1-9]\d?$/.test(text) && Number(text) <= MOST_PROCESSES) return Number(text);
  faults.push(`PROCESSES must be a number from 1 to ${MOST_PROCESSES}`);
  return undefined;
}
