import { toIso } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { letter } from "./letter.ts";
import type { Mail } from "./mailer.ts";

/** Tells the owner of an account that somebody signed in to it from a browser that it did not know. */
export function newDeviceMail(
  { to, baseUrl, device, network, at }: {
    readonly to: string;
    readonly baseUrl: string;
    readonly device: string;
    readonly network: string;
    readonly at: Instant;
  },
): Mail {
  return letter({
    to,
    subject: "New sign-in to your account",
    parts: [
      `Somebody signed in to your account from a device it did not know: ${device}, ${network}, ${
        toIso(at)
      }.`,
      "If this was you, there is nothing to do. If not, end the session and look at your passkeys:",
      { link: `${baseUrl}/account` },
    ],
  });
}
