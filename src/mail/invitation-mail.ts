import { toIso } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { letter } from "./letter.ts";
import type { Mail } from "./mailer.ts";

/** An invitation as whom it is for hears of it. */
export interface InvitationNews {
  readonly to: string;
  /** What people call the service. */
  readonly service: string;
  readonly baseUrl: string;
  readonly link: string;
  readonly expiresAt: Instant;
}

/** Invites somebody to make an account. */
export function invitationMail({ to, service, baseUrl, link, expiresAt }: InvitationNews): Mail {
  return letter({
    to,
    subject: `An invitation to ${service}`,
    parts: [
      `You are invited to make an account at ${baseUrl}, with this address and a passkey. Open this link:`,
      { link },
      `It works once, until ${toIso(expiresAt)}.`,
      "If you know nothing of it, ignore this mail: nothing happens without you.",
    ],
  });
}
