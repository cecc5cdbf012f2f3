/** A participant at an address. The catalogues format it, because its form depends on the grammatical case. */
export type Party =
  | { readonly is: "this_key" | "unnamed"; readonly address: string }
  /** `label` is readable and has no quotation marks (`quotable`). */
  | { readonly is: "own_key"; readonly address: string; readonly label: string }
  /** `name` is that of a token or a contract. */
  | { readonly is: "known"; readonly address: string; readonly name: string };

/** The actor of a call: the signer, or the account that the sentence names. */
export type Actor = "you" | "account";
