/** Seconds. A page or a signature takes milliseconds. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Seconds. */
const SIGNING_SECONDS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05];
/** Seconds. */
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const JOBS = [1, 2, 5, 10, 20, 50, 100];

/** The kinds of signatures, as in the bodies of the API. */
const SIGNATURE_KINDS = ["message", "typed_data", "transaction", "authorization"] as const;

/** The results of a sign-in or a token request. `failed` is a fault of the service. */
export const OUTCOMES = ["success", "refused", "rate_limited", "failed"] as const;

export type MetricOutcome = (typeof OUTCOMES)[number];

/** A family of metrics. */
export interface Family {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, ascending. */
  readonly buckets?: readonly number[];
  /** The series with 0 from the first scrape on. `createMetrics` receives those of values that another layer lists. */
  readonly series?: readonly (readonly string[])[];
  /** How a gauge of several processes becomes one. Counters and histograms are added. */
  readonly merge?: "sum" | "max" | "min";
}

const one = <T extends string>(values: readonly T[]): readonly (readonly [T])[] =>
  values.map((value) => [value]);

/** Every family that is served at `/metrics`, in its order. */
export const FAMILIES = {
  holdfast_http_requests_total: {
    type: "counter",
    help: "Requests. An unknown path has the route none.",
    labels: ["method", "route", "status"],
    series: [["GET", "none", "404"]],
  },
  holdfast_http_request_duration_seconds: {
    type: "histogram",
    help: "Time from a request to its response.",
    labels: ["method", "route", "status"],
    buckets: REQUEST_SECONDS,
    series: [["GET", "none", "404"]],
  },
  signing_secp256k1_signing_duration: {
    type: "histogram",
    help: "Seconds to compute a signature, without policies and the audit log. Named as in Web3Signer.",
    labels: ["kind"],
    buckets: SIGNING_SECONDS,
    series: one(SIGNATURE_KINDS),
  },
  holdfast_signatures_total: {
    type: "counter",
    help: "Signatures that were recorded in the audit log.",
    labels: ["kind"],
    series: one(SIGNATURE_KINDS),
  },
  holdfast_signature_refusals_total: {
    type: "counter",
    help: "Refused signatures, by the rule that refused.",
    labels: ["rule"],
  },
  holdfast_sign_ins_total: {
    type: "counter",
    help: "Sign-ins with a passkey.",
    labels: ["outcome"],
    series: one(OUTCOMES),
  },
  holdfast_authorization_codes_total: {
    type: "counter",
    help: "Token requests with an authorization code.",
    labels: ["outcome"],
    series: one(OUTCOMES),
  },
  holdfast_token_refreshes_total: {
    type: "counter",
    help: "Token requests with a refresh token.",
    labels: ["outcome"],
    series: one(OUTCOMES),
  },
  holdfast_rate_limited_total: {
    type: "counter",
    help: "Requests refused by a rate limit.",
    labels: ["limit"],
  },
  holdfast_commits_total: {
    type: "counter",
    help: "Shared commits, each of one or more jobs.",
    labels: [],
    series: [[]],
  },
  holdfast_commit_jobs: {
    type: "histogram",
    help: "Jobs of a shared commit.",
    labels: [],
    buckets: JOBS,
    series: [[]],
  },
  holdfast_commit_duration_seconds: {
    type: "histogram",
    help: "Time of a shared commit with its jobs.",
    labels: [],
    buckets: COMMIT_SECONDS,
    series: [[]],
  },
  holdfast_jobs_waiting: {
    type: "gauge",
    help: "Jobs that wait for a shared commit.",
    labels: [],
    series: [[]],
    merge: "sum",
  },
  holdfast_database_bytes: {
    type: "gauge",
    help: "Size of the database.",
    labels: [],
    series: [[]],
    merge: "max",
  },
  holdfast_database_wal_bytes: {
    type: "gauge",
    help: "Size of SQLite's write-ahead log. 0 on PostgreSQL.",
    labels: [],
    series: [[]],
    merge: "max",
  },
  holdfast_log_entries: {
    type: "gauge",
    help: "Number of the newest audit log entry that this process knows.",
    labels: [],
    series: [[]],
    merge: "max",
  },
  holdfast_log_verified_timestamp_seconds: {
    type: "gauge",
    help: "Unix time of the last step of the audit log's verification. Stands still while it has a fault.",
    labels: [],
    series: [[]],
    merge: "min",
  },
  holdfast_log_scrubber_position: {
    type: "gauge",
    help: "Entry up to which the present pass through the whole audit log has verified it.",
    labels: [],
    series: [[]],
    merge: "min",
  },
  holdfast_log_fault: {
    type: "gauge",
    help: "1 while the audit log has a fault that no operator acknowledged.",
    labels: [],
    series: [[]],
    merge: "max",
  },
  holdfast_outbox_waiting: {
    type: "gauge",
    help: "Mails that wait for the mail server.",
    labels: ["kind"],
    series: [["mail"]],
    merge: "max",
  },
  holdfast_deliveries_waiting: {
    type: "gauge",
    help: "Notifications that wait for their receiver.",
    labels: ["kind"],
    series: [["logout"], ["webhook"], ["push"]],
    merge: "max",
  },
  holdfast_delivery_failures_total: {
    type: "counter",
    help: "Attempts to deliver that the receiver did not accept.",
    labels: ["kind"],
    series: [["mail"], ["logout"], ["webhook"], ["push"]],
  },
  holdfast_tee_info: {
    type: "gauge",
    help: "1 for the provider of the trusted execution environment.",
    labels: ["provider"],
    merge: "max",
  },
  holdfast_tee_collateral_age_seconds: {
    type: "gauge",
    help:
      "Age of the collateral that this process verifies quotes by. 0 if it verifies none, as the service.",
    labels: ["provider"],
    merge: "max",
  },
  process_resident_memory_bytes: {
    type: "gauge",
    help: "Resident memory.",
    labels: [],
    series: [[]],
    merge: "sum",
  },
  process_cpu_seconds_total: {
    type: "counter",
    help: "User and system processor time.",
    labels: [],
    series: [[]],
  },
  process_start_time_seconds: {
    type: "gauge",
    help: "Unix time of the start.",
    labels: [],
    series: [[]],
    merge: "min",
  },
  holdfast_event_loop_lag_seconds: {
    type: "gauge",
    help: "Longest delay of a timer since the last scrape.",
    labels: [],
    series: [[]],
    merge: "max",
  },
} as const satisfies Readonly<Record<string, Family>>;

export type FamilyName = keyof typeof FAMILIES;

type OfType<T extends Family["type"]> = {
  readonly [N in FamilyName]: (typeof FAMILIES)[N]["type"] extends T ? N : never;
}[FamilyName];

type Texts<L extends readonly string[]> = { readonly [I in keyof L]: string };

/** The values of a family's labels, in their order. Never a value from a request. */
export type LabelValues<N extends FamilyName> = Texts<(typeof FAMILIES)[N]["labels"]>;

export type CounterName = OfType<"counter">;
export type GaugeName = OfType<"gauge">;
export type HistogramName = OfType<"histogram">;
