/** Prefixes of this service's variables. An unknown variable with one is a mistake and must be reported. */
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
  "METRICS_",
  "PUSH_",
];

export function unknownNames(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  return Object.keys(environment).filter((name) =>
    OUR_PREFIXES.some((prefix) => name.startsWith(prefix)) && !known.includes(name)
  );
}
