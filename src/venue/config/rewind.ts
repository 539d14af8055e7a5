// Who may start a venue whose market time, history and faults are played: nobody whose venue holds money. `rialto start
// --rewind` is refused in production, without development tools, with a ledger that others use, and with threads on
// other machines, which the clock of this process does not reach. Specification: REW-1. The options that set the market's
// time, `--market-time` and `--step`, are read here too.

import { isIP } from "node:net";
import type { ConfigVariables } from "../../../schemas/config.ts";
import { hasEmbeddedLedger, type LedgerConfig } from "./ledger-config.ts";
import { utcExpected, utcMs } from "./utc-time.ts";

/** What `rialto start` is told beside the environment. */
export interface RewindOptions {
  readonly isRewind?: boolean;
  /** The market's time at the start, as typed. */
  readonly marketTime?: string;
  /** True if the market's time starts paused, and one command of clients is in flight at a time. */
  readonly isStepped?: boolean;
}

/** How the market's time starts. */
export interface MarketTimeStart {
  /** In Unix ms; null: from the newest event, or now if there is none. */
  readonly startMs: number | null;
  /** It starts paused, and one command of clients is in flight at a time (REW-18). */
  readonly isStepped: boolean;
}

export function marketTimeOf({ marketTime, isStepped = false }: RewindOptions): MarketTimeStart {
  return { startMs: marketTime === undefined ? null : utcMs(marketTime), isStepped };
}

/** The reasons why a venue cannot start with these options, one line each. Specification: REW-10, REW-18. */
export function marketTimeFaults(
  { marketTime, isStepped = false }: RewindOptions,
  venue: {
    readonly isRewind: boolean;
    readonly ledger: LedgerConfig;
    readonly fronts: number;
    readonly devFleet: boolean;
    readonly prices: { readonly feeds: readonly string[] };
  },
): string[] {
  const faults: string[] = [];
  if (marketTime !== undefined && utcMs(marketTime) === null)
    faults.push(`--market-time=${marketTime.slice(0, 40)}: expected ${utcExpected}`);
  if (!venue.isRewind && marketTime !== undefined)
    faults.push("--market-time: expected --rewind too");
  if (!venue.isRewind && isStepped) faults.push("--step: expected --rewind too");
  if (!isStepped) return faults;
  if (venue.ledger.profile !== "none")
    faults.push(
      "start --step: expected LEDGER_PROFILE=none, because a ledger answers when it likes",
    );
  if (venue.fronts !== 1) faults.push("start --step: expected FRONT_THREADS=1");
  if (venue.prices.feeds.length > 0) faults.push("start --step: expected PRICE_FEEDS empty");
  if (venue.devFleet) faults.push("start --step: expected DEV_FLEET=0");
  return faults;
}

/** The reasons why a venue with these settings cannot be rewound, one line each; `devTools` is what the settings give. */
export function rewindFaults(
  read: ConfigVariables,
  { devTools, ledger }: { readonly devTools: boolean; readonly ledger: LedgerConfig },
): string[] {
  const faults: string[] = [];
  const refuse = (reason: string) => faults.push(`start --rewind: ${reason}`);
  if (read.NODE_ENV === "production") refuse("expected NODE_ENV other than production");
  if (!devTools)
    refuse(
      read.DATABASE_URL === null
        ? "expected development tools, which DEV_TOOLS=0 turns off"
        : "expected DEV_TOOLS=1, because DATABASE_URL turns development tools off",
    );
  if (ledger.profile !== "none" && !hasEmbeddedLedger(ledger))
    refuse("expected the embedded ledger, or LEDGER_PROFILE=none");
  if (read.ROLE !== "single" || read.NATS_URL.length > 0)
    refuse("expected a venue on its own, without ROLE and NATS_URL");
  if (read.FAULT_PORT !== 0 && read.FAULT_PORT === read.PORT)
    refuse("expected a FAULT_PORT other than PORT");
  return faults;
}

/**
 * The addresses from which the fault proxy connects, whose X-Forwarded-For the venue therefore trusts: this machine's own.
 * The proxy tells every client's address, so that a client on another machine never counts as one on this machine.
 */
export function faultProxyAddresses(host: string, isRewind: boolean): readonly string[] {
  if (!isRewind) return [];
  const own = isIP(host) === 0 || host === "0.0.0.0" || host === "::" ? [] : [host];
  return ["127.0.0.1", "::1", ...own];
}
