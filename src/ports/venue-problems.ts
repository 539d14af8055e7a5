// What can be wrong with a running venue: how serious each state is, its sentence, and what to do. /health, `rialto
// status`, `rialto doctor` and the operations page all use these words, so that a state has one name and one severity.

/**
 * A fault: orders are refused in more than single markets although nobody halted these, money is not covered, timed work
 * waits, or the disk is full. A warning: everything else that needs the operator, such as a market that is halted.
 */
export type Severity = "warning" | "fault";

interface KindTerms {
  readonly severity: Severity;
  /** A sentence without a capital letter and a full stop; of a market, what follows its name. */
  readonly text: (detail: string) => string;
  /** What the operator does about it; `MARKET` stands for the name of the problem's market. */
  readonly mend: string;
}

/** Seconds for which a side of a book must be empty before the operator is told. Makers that restart need less. */
export const emptySideSecondsMax = 120;
/** Seconds without a read of the ledger from which the operator is told. It is usually read every second. */
export const ledgerLateSecondsMax = 10;
/** Milliseconds that an event waits for PostgreSQL from which the operator is told. */
export const journalWaitMsMax = 2_000;
/** Seconds for which a thread, a ring or acknowledgements must be late before the operator is told. */
export const lateSecondsMin = 10;
/** Seconds for one acknowledgement in a hundred from which they are slow: the bound of a bucket of their histogram. */
export const slowAckSeconds = 0.8192;

const reduces = "takes only orders that reduce positions";
const freeDisk = "free disk space: the database's write-ahead log alone takes up to 2 GiB";
const diskText = (free: string) => `only ${free} are free on the disk of the data folder`;

const declared = {
  venue_silent: {
    severity: "fault",
    text: () => "the venue does not answer at its address",
    mend: "look at its log, then run 'rialto start'; docs/guides/operate.md is also in the program's folder",
  },
  starting: {
    severity: "fault",
    text: () => "the venue is starting: new requests are refused until it runs",
    mend: "wait; its log says what it does",
  },
  stopping: {
    severity: "fault",
    text: () => "the venue is stopping: new requests are refused",
    mend: "nothing if you stopped it; otherwise see its log, then run 'rialto start'",
  },
  lease_over: {
    severity: "fault",
    text: () => "the lease of this venue has run out: nothing is acknowledged until it is renewed",
    mend: "check the database and whether another venue leads ('rialto doctor')",
  },
  clock_held: {
    severity: "fault",
    text: () => "clock: the machine's clock was set; tasks at fixed times, such as funding, wait",
    mend: "run 'rialto clock show'; correct the clock, or accept the step with 'rialto clock accept'",
  },
  leader_away: {
    severity: "fault",
    text: () => "leader: no leader takes commands; orders wait for one",
    mend: "start a venue with ROLE=auto, or check the way to it",
  },
  bus_away: {
    severity: "fault",
    text: () => "bus: this gateway has no connection to it; other gateways may have theirs",
    mend: "check NATS and this machine's way to it",
  },
  journal_waits: {
    severity: "warning",
    text: (seconds) =>
      `the journal has waited ${seconds} s for PostgreSQL: nothing is acknowledged until it commits`,
    mend: "check that PostgreSQL runs, its log and its disk",
  },
  journal_stalled: {
    severity: "fault",
    text: (seconds) =>
      `the journal has waited ${seconds} s for PostgreSQL: new orders wait too, and are refused when their time limit has passed`,
    mend: "check that PostgreSQL runs, its log and its disk",
  },
  ledger_stale: {
    severity: "fault",
    text: () =>
      "the ledger has not been read to its end for too long: spot orders of wallet-funded accounts and withdrawals are refused, and deposits wait",
    mend: "run 'rialto ledger'; check the ledger and the network to it",
  },
  ledger_late: {
    severity: "warning",
    text: (seconds) =>
      `the ledger has not been read for ${seconds} s: withdrawals and deposits wait or are refused`,
    mend: "run 'rialto ledger'; check the ledger and the network to it",
  },
  makers_held: {
    severity: "warning",
    text: (detail) => `the venue's makers are ${detail}; they have cancelled their orders`,
    mend: "run 'rialto ledger', and see /ops/traffic; they quote again by themselves when the ledger is read and has traffic for settlement",
  },
  feed_failing: {
    severity: "warning",
    text: (detail) => `price feed ${detail}`,
    mend: "check its address and PRICE_FEED_NETWORKS; where no other feed has a price, the index comes from designated makers' quotes",
  },
  market_halted: {
    severity: "warning",
    text: () => "is halted",
    mend: "run 'rialto markets resume MARKET' when it may trade again",
  },
  index_halted: {
    severity: "warning",
    text: (name) => `${reduces}: its index is stale, because its index market ${name} is halted`,
    mend: "resume the index market when it may trade again, see there; makers must then quote in it",
  },
  index_stale: {
    severity: "warning",
    text: () => `${reduces}: its index is stale`,
    mend: "let designated makers quote the index-depth on both sides of its index market ('rialto markets risk MARKET' shows it), or check the price feed; a halt or freeze has cancelled their orders",
  },
  no_index: {
    severity: "warning",
    text: () => "has no index; its mark is unprotected",
    mend: "give it a price feed (PRICE_FEEDS), or set a price for a while with 'rialto markets reference MARKET PRICE'",
  },
  markets_wait: {
    severity: "warning",
    text: (which) => `${which} will trade from the next start of the venue`,
    mend: "run 'rialto markets list' to see them; restart the venue",
  },
  fund_low: {
    severity: "fault",
    text: (least) =>
      `the insurance fund is worth less than ${least} USDC: all markets take only cancels and orders that reduce positions`,
    mend: "refill it with 'rialto insurance refill AMOUNT --from ACCOUNT'",
  },
  fund_paused: {
    severity: "warning",
    text: () => `${reduces}: the insurance fund paused it`,
    mend: "it opens at the next full hour; see docs/guides/risk.md",
  },
  book_empty: {
    severity: "warning",
    text: (sides) => `has had ${sides} for more than ${emptySideSecondsMax / 60} minutes`,
    mend: "check whether its market makers run and may trade; a halt or freeze has cancelled their orders",
  },
  reference_set: {
    severity: "warning",
    text: (detail) => `has the operator's reference price ${detail}`,
    mend: "remove it with 'rialto markets reference MARKET' as soon as feeds or makers have a price",
  },
  index_moving: {
    severity: "warning",
    text: (detail) => `has an index of ${detail}`,
    mend: "check both prices; a reference price near the market's, set for a minute, moves the index there at once",
  },
  price_apart: {
    severity: "warning",
    text: (detail) => `has a mark of ${detail}`,
    mend: "check feeds and reference price ('rialto markets risk MARKET' shows the index); if its mark is wrong, run 'rialto markets halt MARKET'",
  },
  tick_unfit: {
    severity: "warning",
    text: (detail) => `has a tick that is ${detail}`,
    mend: "check the mark; if it is right, list the market anew with a tick that suits its price",
  },
  disk_full: { severity: "fault", text: diskText, mend: freeDisk },
  disk_low: { severity: "warning", text: diskText, mend: freeDisk },
  thread_late: {
    severity: "warning",
    text: (which) => which,
    mend: "see docs/guides/operate.md#a-thread-is-late",
  },
  acks_slow: {
    severity: "warning",
    text: (seconds) => `one acknowledgement in a hundred takes more than ${seconds} s`,
    mend: "see what else writes to PostgreSQL's disk, and docs/guides/operate.md#a-thread-is-late",
  },
  totals_astray: {
    severity: "fault",
    text: (assets) => `account totals do not balance in ${assets} assets`,
    mend: "stop the venue and keep its journal; see docs/guides/operate.md",
  },
  custody_short: {
    severity: "fault",
    text: (assets) => `custody holds less than the venue owes in ${assets}`,
    mend: "see docs/guides/operate.md",
  },
} as const satisfies Readonly<Record<string, KindTerms>>;

export type ProblemKind = keyof typeof declared;

/** Every kind of problem, with its terms. */
export const problemKinds: Readonly<Record<ProblemKind, KindTerms>> = declared;

/** A state that needs the operator. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly severity: Severity;
  /** The market that it is about; null for the whole venue. */
  readonly market: string | null;
  readonly text: string;
}

/** `detail` completes the text: seconds, sides of a book, free space, threads or assets. */
export function problem(kind: ProblemKind, detail = "", market: string | null = null): Problem {
  const { severity, text } = problemKinds[kind];
  const said = text(detail);
  return { kind, severity, market, text: market === null ? said : `${market} ${said}` };
}

/** What the operator does about `one`, with the name of its market. */
export function mendOf({ kind, market }: Pick<Problem, "kind" | "market">): string {
  return problemKinds[kind].mend.replaceAll("MARKET", market ?? "MARKET");
}

/** The worst severity of `problems`; null if there are none. */
export function worstOf(problems: readonly Pick<Problem, "severity">[]): Severity | null {
  if (problems.some(({ severity }) => severity === "fault")) return "fault";
  return problems.length > 0 ? "warning" : null;
}

/** Below this share of free space the disk needs its operator. */
const diskShareMin = 0.1;
/** The largest size of the database's write-ahead log: PostgreSQL stops when the disk is full. */
const diskBytesMin = 2 * 2 ** 30;

/** What is wrong with a disk of `size` bytes of which `free` are left; null if nothing is. */
export function diskKind(free: number, size: number): "disk_full" | "disk_low" | null {
  if (free < diskBytesMin) return "disk_full";
  return free < diskShareMin * size ? "disk_low" : null;
}
