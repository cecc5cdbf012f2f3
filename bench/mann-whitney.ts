/**
 * Returns the complementary error function (Abramowitz and Stegun 7.1.26), correct to seven digits. `x` must not be
 * negative.
 */
function erfc(x: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  const polynomial = t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return polynomial * Math.exp(-x * x);
}

/**
 * Returns the probability that two samples of one distribution differ as much as these (Mann-Whitney U, two-sided, by
 * the normal approximation with the correction for ties). For samples of 20 and more.
 */
export function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const all = [
    ...one.map((value) => ({ value, isOne: true })),
    ...other.map((value) => ({ value, isOne: false })),
  ]
    .sort((a, b) => a.value - b.value);
  let rankSum = 0;
  let ties = 0;
  for (let start = 0; start < all.length;) {
    let end = start;
    while (end < all.length && all[end]!.value === all[start]!.value) end++;
    const tied = end - start;
    const rank = (start + 1 + end) / 2;
    rankSum += rank * all.slice(start, end).filter(({ isOne }) => isOne).length;
    ties += tied ** 3 - tied;
    start = end;
  }
  const [n, m] = [one.length, other.length];
  const u = rankSum - n * (n + 1) / 2;
  const variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)));
  // Continuity correction: U is a whole number.
  const distance = Math.max(0, Math.abs(u - n * m / 2) - 0.5);
  return variance === 0 ? 1 : Math.min(1, erfc(distance / Math.sqrt(2 * variance)));
}
