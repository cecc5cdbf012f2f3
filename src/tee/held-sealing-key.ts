/** A key that is given out in copies until it is forgotten. */
export interface HeldKey {
  /** A copy, which its taker wipes. Throws `TypeError` once the key was forgotten. */
  copy(): Uint8Array;
  /** Wipes the key. Copies stay with those who have them. */
  forget(): void;
}

/** Holds a key, which is the holder's from then on. */
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
