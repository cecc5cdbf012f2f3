import type { Limits } from "./policy.ts";

/** A call, and no delegate call. */
const CALLS_ONLY: Limits = { "/operation": { oneOf: ["0"] } };

/**
 * Limits that a rule has by itself unless it says otherwise of the same path, by type hash: a Safe's transaction may run
 * foreign code as the Safe's own (`operation` 1), which no rule allows that does not speak of it.
 */
export const OWN_LIMITS: Readonly<Record<string, Limits>> = {
  // SafeTx(…,uint256 baseGas,…), from Safe 1.0.0 on.
  "0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8": CALLS_ONLY,
  // SafeTx(…,uint256 dataGas,…), before.
  "0x14d461bc7412367e924637b363c7bf29b8f47e2f84869f4426e5633d8af47b20": CALLS_ONLY,
};
