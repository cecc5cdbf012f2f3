import { type Account, nameOf } from "../accounts/account.ts";
import type { Language } from "../lib/language.ts";
import type { AccountView, FrameView } from "../ui/layout.ts";
import type { RequestContext } from "./request-context.ts";
import type { Services } from "./services.ts";
import { acceptedLanguage, setContentLanguage } from "./response/language.ts";

type FrameServices = Pick<Services, "tee" | "brand">;

/** Returns the account for a page, in its language: by address, or else by name, or else by id. */
export function toAccountView(
  account: Account,
  services: FrameServices,
  context: RequestContext,
): AccountView {
  return { accountId: account.id, email: nameOf(account), ...frameIn(account.language, services, context) };
}

/** Returns the frame of a page in the language of the request. Sets `Content-Language`. */
export function toFrame(services: FrameServices, context: RequestContext): FrameView {
  return frameIn(acceptedLanguage(context.request.headers), services, context);
}

function frameIn(language: Language, { tee, brand }: FrameServices, context: RequestContext): FrameView {
  setContentLanguage(context, language);
  return { tee: tee.inTee ? "hardware" : "simulated", brand, language };
}
