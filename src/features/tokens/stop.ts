import type { SigningStopped } from "../../api/token.ts";
import { formSession, session } from "../../http/guard/account-guards.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { json, redirect } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { Instant } from "../../lib/time.ts";
import { type StoppedSigning, stopSigning } from "../../recovery/stop-signing.ts";
import { StopForm } from "./schema.ts";

function stopAll(services: Services, accountId: string, now: Instant): Promise<StoppedSigning> {
  return services.groupCommit.run((tx) => stopSigning(tx, services, { accountId, now }));
}

export const stopPrograms = defineEndpoint(
  session,
  { optionalBody: NO_MEMBERS },
  async ({ now }, { account }, _input, services) =>
    json<typeof SigningStopped>(200, await stopAll(services, account.id, now)),
);

/** Stops the programs of the account that the page showed. The user repeats it after a new sign-in. */
export const submitStop = defineEndpoint(
  formSession("/developer#stop"),
  { form: StopForm },
  async ({ now }, { account }, { body }, services) => {
    if (body.account !== account.id) return redirect("/developer#stop");
    await stopAll(services, account.id, now);
    return redirect("/developer?stopped=1#stop");
  },
);
