/** The number of rounds that count. */
export const ROUNDS = 5;

const LOAD_MILLISECONDS = 1500;

/** A measured place, with its results for each scenario, round by round. */
export interface Place<Scenario, Round> {
  readonly rounds: Map<Scenario, Round[]>;
}

/**
 * Measures each scenario at each place, round by round. Places alternate within a round, so that a noisy moment hits
 * all. The first round, of `warmUp` milliseconds, does not count: compilers are busy for thousands of requests, in each
 * process of a place.
 */
export async function measureAlternately<Scenario, Round, P extends Place<Scenario, Round>>(
  places: readonly P[],
  { scenarios, warmUp, measureRound }: {
    readonly scenarios: readonly Scenario[];
    readonly warmUp: (place: P) => number;
    readonly measureRound: (place: P, scenario: Scenario, milliseconds: number) => Promise<Round>;
  },
): Promise<void> {
  for (let round = -1; round < ROUNDS; round++) {
    for (const scenario of scenarios) {
      for (const place of places) {
        const measured = await measureRound(place, scenario, round < 0 ? warmUp(place) : LOAD_MILLISECONDS);
        if (round >= 0) place.rounds.set(scenario, [...place.rounds.get(scenario) ?? [], measured]);
      }
    }
  }
}
