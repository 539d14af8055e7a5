// What native routes work with beside what all routes do: wallets, keys at rest, and one way of asking
// clearing that a route can wait for.

import { RejectReason } from "../../../core/reject-reason.ts";
import type { SwapTimes } from "../../../engine/swaps/swap-machine.ts";
import type { KeyStore } from "../../../ports/access/key-store.ts";
import type { SessionStore } from "../../../ports/access/session-store.ts";
import type { Entropy } from "../../../ports/entropy.ts";
import type { EpochReader } from "../../../ports/journal/epoch-store.ts";
import type { CustodyDoor, PayeeCheck } from "../../../ports/ledger/custody.ts";
import type { EpochAnchorStore } from "../../../ports/ledger/epoch-anchors.ts";
import type { LedgerFaucet } from "../../../ports/ledger/ledger-faucet.ts";
import type { MemberReader } from "../../../ports/ledger/member-reader.ts";
import type { SolvencyReader } from "../../../ports/ledger/solvency.ts";
import type { TrafficReader } from "../../../ports/ledger/traffic.ts";
import type { ProviderRegistry } from "../../../ports/swaps/provider-registry.ts";
import type { SwapDoor } from "../../../ports/swaps/swap-store.ts";
import type { KeyMintingPorts } from "../../../services/access/key-minting.ts";
import type { PublicAuthority } from "../../../services/access/public-authority.ts";
import type { RateLimiter } from "../../../services/access/rate-limiter.ts";
import type { Ask, CommandBridge } from "../orders/command-bridge.ts";
import { storeFault } from "../requests/answer-later.ts";
import type { RouteContext } from "../requests/route.ts";
import { notExecuted, refuse, type SurfaceError } from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import { nativeErrors } from "./error-map.ts";

/** Settings and stores of the native surface. */
export interface NativeOptions {
  readonly sessions: SessionStore;
  readonly entropy: Entropy;
  readonly epochs: EpochReader;
  readonly anchors: EpochAnchorStore;
  readonly members: MemberReader;
  readonly custody: CustodyDoor;
  readonly faucet: LedgerFaucet;
  readonly payees: PayeeCheck;
  readonly solvency: SolvencyReader;
  readonly providers: ProviderRegistry;
  readonly traffic: TrafficReader;
  /** How old the comparison of wallets with the ledger may be. */
  readonly mirrorStaleMs: number;
  /** Fills of the operator's own traders that may settle on the ledger in a day. */
  readonly houseFillsPerDay: number;
  /** How long a withdrawal may take to be taken (specification: 15 s). */
  readonly withdrawalTimeoutMs: number;
  /** How old the ledger's last answer may be for a fee to hold. */
  readonly quoteMaxAgeMs: number;
  /** Whether there is a ledger network to enroll with. */
  readonly hasLedger: boolean;
  /** Swaps as they rest, their times, and how long a trader waits for what it is to sign. */
  readonly swaps: {
    readonly store: SwapDoor;
    readonly times: SwapTimes;
    readonly prepareMs: number;
  };
  /** Whom providers sign their requests for. */
  readonly authority: PublicAuthority;
  /** Under which leaves hide their bodies. */
  readonly nonceKey: Uint8Array;
  readonly challengeMs: number;
  readonly sessionMs: number;
  /** Accounts that the wallets of one network may open in an hour. */
  readonly accountsPerNetwork: number;
  /** Mounts what only a venue for development has. */
  readonly devTools: boolean;
  /** Whether 32 bytes are a point of the curve that is safe as a public key. */
  isSoundPoint(publicKey: Uint8Array): boolean;
}

export interface NativeContext extends RouteContext, NativeOptions {
  /** Counts new accounts. */
  readonly limiter: RateLimiter;
  readonly keys: KeyStore;
  readonly minting: KeyMintingPorts;
}

/** Clearing's answer, kept: replies are reused. */
export interface Answered {
  readonly reason: RejectReason;
  readonly subject: number;
  readonly lastSeq: number;
  /** Of an idempotency key that was used before: nothing was done anew. */
  readonly isRepeated: boolean;
}

/** Why clearing did not do what it was asked; undefined if it did. */
export function refusalOf(answer: Answered | null): SurfaceError | undefined {
  if (answer === null) return notExecuted;
  return answer.reason === RejectReason.none ? undefined : nativeErrors[answer.reason];
}

/** Asks clearing; resolves when its answer is durable, with null if nothing was sent. */
export function askClearing(bridge: CommandBridge, ask: Ask): Promise<Answered | null> {
  return new Promise((resolve) => {
    const take = ({ reason, subject, lastSeq, isRepeated }: Answered) =>
      resolve({ reason, subject, lastSeq, isRepeated });
    if (!bridge.send(ask, "orders", take)) resolve(null);
  });
}

/**
 * The same, with the time of the event that the command ended with; null where the answer rests on an earlier
 * one. A reply comes right behind its own events, so that the model knows it without any row.
 */
export function askWithTime(
  { bridge, model }: Pick<NativeContext, "bridge" | "model">,
  ask: Ask,
): Promise<(Answered & { readonly endedUs: number | null }) | null> {
  return new Promise((resolve) => {
    const take = ({ reason, subject, lastSeq, isRepeated }: Answered) => {
      const { seq, tsUs } = model.state;
      const endedUs = seq === lastSeq && !isRepeated ? tsUs : null;
      resolve({ reason, subject, lastSeq, isRepeated, endedUs });
    };
    if (!bridge.send(ask, "orders", take)) resolve(null);
  });
}

/** Does what may be left undone once an answer is certain; what fails is the operator's to read. */
export function afterwards({ log }: Pick<NativeContext, "log">, work: Promise<unknown>): void {
  work.catch((fault: unknown) => {
    log.error({ err: fault }, "what follows an answer could not be written");
  });
}

/** What a route comes to: a JSON text, nothing to say (204), or a refusal. */
export type Outcome = string | null | SurfaceError;

/** Answers with what `work` comes to. What goes wrong on the way is the operator's to read. */
export function answerWith(context: NativeContext, call: HttpCall, work: Promise<Outcome>): void {
  work
    .then((outcome) => {
      if (outcome === null) call.done();
      else if (typeof outcome === "string") call.json(outcome);
      else refuse(call, outcome);
    })
    .catch((fault: unknown) => {
      context.log.error({ err: fault, path: call.path }, "a native request failed");
      refuse(call, storeFault(context, call, fault));
    });
}

/** ISO 8601 UTC with milliseconds. */
export function isoOfMs(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOfUs(us: number): string {
  return isoOfMs(Math.floor(us / 1000));
}
