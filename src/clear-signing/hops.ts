const ADDRESS = 20;
const FEE = 3;

/**
 * Returns true for tokens with a fee between each two (Uniswap V3's Path). A router reads whole hops from the start, so
 * that the last bytes of another length are not the token that it uses.
 */
export function isHops(path: Uint8Array): boolean {
  return path.length >= 2 * ADDRESS + FEE && (path.length - ADDRESS) % (ADDRESS + FEE) === 0;
}
