/** The lifetimes of new sessions, in milliseconds. */
export interface SessionLifetimes {
  readonly longest: number;
  /** The time without use. At most `longest`. */
  readonly idle: number;
}
