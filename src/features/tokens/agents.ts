interface Agent {
  readonly id: "claude" | "vscode" | "codex";
  readonly name: string;
  /** Returns what a user pastes. `url` is the resource of `/mcp`. docs/how-to/agents.md shows the same. */
  readonly paste: (url: string) => string;
}

export const AGENTS: readonly Agent[] = [
  {
    id: "claude",
    name: "Claude Code",
    paste: (url) => `claude mcp add --transport http holdfast ${url}\nclaude mcp login holdfast`,
  },
  {
    id: "vscode",
    name: "VS Code",
    paste: (url) => `{ "servers": { "holdfast": { "type": "http", "url": "${url}" } } }`,
  },
  { id: "codex", name: "Codex", paste: (url) => `codex mcp add holdfast --url ${url}` },
];
