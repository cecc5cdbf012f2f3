/** Hears of each whole line, without its end. What ends without one is a line too. */
export async function readLines(
  chunks: AsyncIterable<Uint8Array>,
  onLines: (lines: readonly string[]) => Promise<void> | void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    if (lines.length > 0) await onLines(lines);
  }
  if (rest !== "") await onLines([rest]);
}
