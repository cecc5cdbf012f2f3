/** Names beginning so are ours: one that we do not know is a mistake that must not pass unseen. */
const OUR_PREFIXES = [
  "RP_",
  "RELATED_",
  "TEE_",
  "BROKER_",
  "SMTP_",
  "SIGN_",
  "IDENTITY_",
  "TRUSTED_",
  "RATE_",
  "HSTS_",
  "CLEAR_",
  "CLIENTS_",
];

/** The names of variables that would be ours, and are none of those that are known. */
export function unknownNames(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  return Object.keys(environment).filter((name) =>
    OUR_PREFIXES.some((prefix) => name.startsWith(prefix)) && !known.includes(name)
  );
}
