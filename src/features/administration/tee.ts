import { admin } from "../../http/guard/admin-guard.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { listSlotClaims } from "../../sealing/slots.ts";
import type { TeeDescription } from "./schema.ts";

/** Describes the TEE, and who can open the root seed. */
export const describeTee = defineEndpoint(admin, {}, async (_context, _principal, _input, services) => {
  const { tee, db } = services;
  const { name, id } = tee.keyProvider;
  return json<typeof TeeDescription>(200, {
    provider: tee.provider,
    inTee: tee.inTee,
    keyProvider: { name, id },
    slots: await listSlotClaims(db, services),
  });
});
