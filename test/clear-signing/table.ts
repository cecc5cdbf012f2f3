import { CONTEXT, SAMPLES } from "./documents.ts";
import { explainSample } from "./explain-sample.ts";
import { OTHER_WALLETS } from "./other-wallets.ts";

/** A text as it stands in a cell of a Markdown table. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(" | ")} |`;
}

/** The table of docs/clear-signing.md: what is said of each sample, and what two wallets show for the same. */
export function samplesTable(): string {
  const rows = SAMPLES.map((sample) => {
    const { sentence, warnings, fields } = explainSample(sample, CONTEXT);
    const [metaMask, ledger] = OTHER_WALLETS[sample.name]!;
    return row([
      sample.name,
      sentence,
      warnings.length === 0 ? "none" : warnings.map(({ level, code }) => `**${level}** ${code}`).join(", "),
      fields.map(({ label, value }) => `${label}: ${value}`).join("; "),
      metaMask,
      ledger,
    ]);
  });
  const head = ["What", "Sentence", "Warnings", "Fields", "MetaMask", "Ledger"];
  return [row(head), row(head.map(() => "---")), ...rows].join("\n");
}
