/** What a mail says of one thing that became of a key's policy. */
interface Wording {
  readonly subject: string;
  /** Without a full stop; `at` is when a change that waits takes effect. */
  readonly news: (label: string, at: string) => string;
  /** What the policy's sentences are of; none where they are not told. */
  readonly heading: string | undefined;
  readonly next: string;
}

const UNDO = "If this was not you, archive the key or set the policy again, and look at your passkeys:";

/** The mails that tell of a key's policy, by what became of it. */
export const policyMailWords = {
  tightened: {
    subject: "A key's policy was set",
    news: (label) => `What the key "${label}" signs was limited`,
    heading: "From now on it signs nothing but this:",
    next: "If this was not you, end the session that did it, and look at your passkeys:",
  } as Wording,
  loosened: {
    subject: "A key's policy was made looser",
    news: (label) => `The key "${label}" may sign more from now on`,
    heading: "It signs:",
    next: UNDO,
  } as Wording,
  asked: {
    subject: "A key's policy is to become looser",
    news: (label, at) => `The key "${label}" may sign more from ${at} on`,
    heading: "From then on it signs:",
    next: "If this was not you, cancel it there before then, and look at your passkeys and sessions:",
  } as Wording,
  cancelled: {
    subject: "A key's policy stays as it is",
    news: (label) => `The change of the policy of the key "${label}" that waited was cancelled`,
    heading: undefined,
    next: "The key's page shows what it signs:",
  } as Wording,
  took_effect: {
    subject: "A key's policy has become looser",
    news: (label) => `The key "${label}" may sign more now: the change that waited has taken effect`,
    heading: "It signs:",
    next: UNDO,
  } as Wording,
  anything: "Anything that its owner, or a program or application of the owner's, asks for.",
};
