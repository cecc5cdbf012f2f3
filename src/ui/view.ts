/** Who is signed in, as every page shows it. */
export interface AccountView {
  readonly email: string;
}

/** A key as pages show it; the API's own shape of a key fits. Times are ISO 8601 in UTC. */
export interface KeyView {
  readonly id: string;
  /** EIP-55. */
  readonly address: string;
  readonly publicKey: string;
  readonly keyIndex: number;
  readonly label: string;
  readonly createdAt: string;
  readonly archived: boolean;
  readonly archivedAt: string | null;
  readonly blindSigning: "allow" | "guard" | "deny";
}

/** A mail of the development outbox. */
export interface MailView {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly createdAt: string;
}
