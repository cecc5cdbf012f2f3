export interface HeldKey {
  /** Returns a copy, which the caller wipes. Throws `TypeError` after `forget`. */
  copy(): Uint8Array;
  /** Wipes the key. Does not wipe its copies. */
  forget(): void;
}

export function holdKey(key: Uint8Array): HeldKey {
  let isForgotten = false;
  return {
    copy: () => {
      if (isForgotten) throw new TypeError("Cannot give sealing key: it was forgotten");
      return key.slice();
    },
    forget: () => {
      isForgotten = true;
      key.fill(0);
    },
  };
}
