import { CONTEXT, SAMPLES } from "./documents.ts";
import { explainSample } from "./explain-sample.ts";
import { OTHER_WALLETS } from "./other-wallets.ts";

/** Escapes a text for a cell of a Markdown table. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(" | ")} |`;
}

/** Returns the table of docs/reference/clear-signing-examples.md, with the display of two other wallets. */
export function samplesTable(): string {
  const rows = SAMPLES.map((sample) => {
    const { sentence, warnings, fields } = explainSample(sample, CONTEXT);
    const [metaMask, ledger] = OTHER_WALLETS[sample.name]!;
    return row([
      sample.name,
      sentence,
      warnings.length === 0 ? "none" : warnings.map(({ level, code }) => `**${level}** ${code}`).join(", "),
      fields.map(({ label, value }) => `${label}: ${value}.`).join(" "),
      metaMask,
      ledger,
    ]);
  });
  const head = ["Document", "Sentence", "Warnings", "Fields", "MetaMask", "Ledger"];
  return [row(head), row(head.map(() => "---")), ...rows].join("\n");
}
