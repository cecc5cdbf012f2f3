import { nameOf } from "../accounts/account.ts";
import type { Account } from "../accounts/account.ts";
import type { Language } from "../lib/language.ts";
import type { AccountView, FrameView } from "../ui/layout.ts";
import type { RequestContext } from "./request-context.ts";
import type { Services } from "./services.ts";
import { acceptedLanguage, speak } from "./response/language.ts";

type Tee = Pick<Services, "tee">;

/**
 * Who is signed in, as the page that answers shows it, in the account's language: an account without an address by its
 * name, else by its id.
 */
export function toAccountView(account: Account, services: Tee, context: RequestContext): AccountView {
  return { accountId: account.id, email: nameOf(account), ...frameIn(account.language, services, context) };
}

/** What every page says of the service, in the language of the request, which the answer names. */
export function toFrame(services: Tee, context: RequestContext): FrameView {
  return frameIn(acceptedLanguage(context.request.headers), services, context);
}

function frameIn(language: Language, { tee }: Tee, context: RequestContext): FrameView {
  speak(context, language);
  return { tee: tee.inTee ? "hardware" : "simulated", language };
}
