import { html } from "../../../lib/html.ts";
import type { HtmlValue } from "../../../lib/html.ts";

/** The list of somebody's keys. */
export const keysWords = {
  title: "Keys",
  orders: { newest: "Newest first", name: "By name", used: "Last used first" },
  archived: "Archived",
  made: "Made",
  lastUsed: "Last used",
  theAddressOf: (label: string) => `the address of ${label}`,
  newKey: "New key",
  label: html`Label <span class="optional">(optional)</span>`,
  exampleLabel: "Treasury",
  create: "Create key",
  search: "Label or address",
  order: "Order",
  show: "Show",
  notFound: (words: HtmlValue) => html`No key has “${words}” in its label or address.`,
  showAll: "Show all keys",
  none: "You have no keys yet. Make one with “New key”.",
  allArchived: "All keys are archived.",
  showThem: "Show them",
  pages: "Pages",
  before: "Before",
  next: "Next",
  page: (page: number, pages: number, found: number) => `Page ${page} of ${pages}, ${found} keys`,
  showArchived: "Show archived keys",
  hideArchived: "Hide archived keys",
  steps: {
    title: "First steps",
    done: "done",
    passkey: ["Add a second passkey", ": nobody can reset one that is lost"],
    sign: ["Sign something", ": you are shown what it means first"],
    quote: ["Save a quote", ": what vouches for the program that holds your keys"],
    token: ["Make a token", ": for a program that signs with your keys"],
  },
};
