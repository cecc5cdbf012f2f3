import type { IdentityError } from "../../identity/error.ts";
import type { IdentityProvider } from "../../identity/provider.ts";
import { type ProblemCode, ProtocolError, type ReturnLink } from "../../lib/error.ts";

interface ProblemText {
  readonly code: ProblemCode;
  readonly detail: (name: string) => string;
}

/** The messages by kind of failure. They contain nothing that the provider sent. */
const PROBLEM_TEXTS: Readonly<Record<IdentityError["kind"], ProblemText>> = {
  denied: {
    code: "identity_refused",
    detail: (name) => `You did not allow ${name} to confirm who you are. Nothing has changed here`,
  },
  refused: {
    code: "identity_refused",
    detail: (name) => `The response of ${name} was not accepted. Nothing has changed here; begin again`,
  },
  unavailable: {
    code: "identity_unavailable",
    detail: (name) =>
      `${name} does not answer correctly. Nothing has changed here; try again later, or use your passkey`,
  },
};

const BEGIN_AGAIN: ProblemText = {
  code: "identity_refused",
  detail: (name) =>
    `This sign-in with ${name} was finished, has expired or was begun in another browser. Begin again`,
};

/** Returns the problem of a failed third-party sign-in. Its cause tells only the log which check failed. */
export function identityProblem(
  error: IdentityError,
  { name }: IdentityProvider,
  returnLink?: ReturnLink,
): ProtocolError {
  const { code, detail } = error.code === "request_unknown" ? BEGIN_AGAIN : PROBLEM_TEXTS[error.kind];
  return new ProtocolError(code, detail(name), { cause: error, ...(returnLink && { returnLink }) });
}
