/**
 * Somebody or something at an address, for a catalogue to say: what it is called here, and the address, always whole.
 * Languages have cases, so no name stands as words before it is in its sentence.
 */
export type Party =
  | { readonly is: "this_key" | "unnamed"; readonly address: string }
  /** `label` is readable, and has no quotation marks (`quotable`). */
  | { readonly is: "own_key"; readonly address: string; readonly label: string }
  /** `name` is that of a token or a contract. */
  | { readonly is: "known"; readonly address: string; readonly name: string };

/** Who carries out a call: whoever signs it, or the Safe that the sentence has named before. */
export type Actor = "you" | "safe";
