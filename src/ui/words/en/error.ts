import type { ProblemCode, WayBack } from "../../../lib/error.ts";

/** What a problem says of itself. */
interface Said {
  readonly title: string;
  readonly detail: string;
}

/** The page of a problem. */
export const errorWords = {
  error: "Error",
  /** Problems are written in English: here they say themselves what is wrong. */
  problem: (_code: ProblemCode, said: Said): Said => said,
  details: "Details",
  /** Stands before the service's own sentence where that is in another language. */
  said: "",
  requestNumber: "When you ask for help, say this request’s number:",
  waysBack: {
    home: "Home",
    consent: "Choose again",
    sign_in: "Back to sign-in",
    account: "Back to your account",
  } as Readonly<Record<WayBack["to"], string>>,
};
