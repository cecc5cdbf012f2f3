import type { Limits } from "./policy.ts";

/** A call, not a delegate call. */
const CALLS_ONLY: Limits = { "/operation": { oneOf: ["0"] } };

/**
 * Default limits by type hash, unless the rule has a limit on the same path. A Safe's transaction may run foreign code
 * as the Safe's own (`operation` 1). Only a rule that mentions it may allow that.
 */
export const OWN_LIMITS: Readonly<Record<string, Limits>> = {
  // SafeTx(…,uint256 baseGas,…), since Safe 1.0.0.
  "0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8": CALLS_ONLY,
  // SafeTx(…,uint256 dataGas,…), before 1.0.0.
  "0x14d461bc7412367e924637b363c7bf29b8f47e2f84869f4426e5633d8af47b20": CALLS_ONLY,
};
