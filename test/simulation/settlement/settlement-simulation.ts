// Settlement in the simulation: the real services of the settlement thread work on a simulated ledger and simulated
// tables. Every call they make is a step of the schedule. Meanwhile the outside world pays members and takes coins
// away, wallets revoke and renew their authority, the ledger process dies, and the operator requeues failed batches.

import assert from "node:assert/strict";
import { Wallet } from "../../../src/core/accounts.ts";
import { present } from "../../../src/core/assert.ts";
import { EventKind, type VenueEvent } from "../../../src/core/generated/events.ts";
import type { VenueState } from "../../../src/engine/state/venue-state.ts";
import type { ClearingClient } from "../../../src/ports/clearing-client.ts";
import { BatchState } from "../../../src/ports/ledger/batch-states.ts";
import type { ChangeKey, Instrument, Party } from "../../../src/ports/ledger/ledger.ts";
import type { CoinRelease } from "../../../src/ports/ledger/settled-coins.ts";
import type { CreditRow, SettledFill } from "../../../src/ports/ledger/settlement-store.ts";
import type { SwapPayment } from "../../../src/ports/swaps/swap-ledger.ts";
import { createMirrorService } from "../../../src/services/settlement/mirror/mirror-service.ts";
import { SettlementCycle } from "../../../src/services/settlement/settlement-cycle.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { naiveWorth } from "../../model/naive-worth.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { type LedgerCanary, SimulatedLedger } from "../ledger/simulated-ledger.ts";
import type { LedgerFault, StreamFault } from "../ledger/simulated-participant.ts";
import { breaksOff, type SimulatedCalls } from "../schedule/simulated-calls.ts";
import { SimulatedCycles } from "../schedule/simulated-cycles.ts";
import { SettlementAudit } from "./settlement-audit.ts";
import { type SettlementCanary, SimulatedSettlement } from "./simulated-settlement.ts";

export type SettlementSimulationCanary = LedgerCanary | SettlementCanary | "credits-twice";

export interface SettlementSimulationParts {
  readonly random: SeededRandom;
  readonly nowMs: () => number;
  /** Returns the time of the ledger's clock. */
  readonly ledgerMs: () => number;
  /** Wallet-funded accounts whose parties are members. */
  readonly accounts: readonly number[];
  readonly canary: SettlementSimulationCanary | null;
}

const { assets } = testMarkets;
/** Instruments on the ledger. */
export const instruments: readonly Instrument[] = assets.map(({ code }) => {
  return { admin: code === "USDC" ? "usd-issuer::1220" : "coin-issuer::1220", id: code };
});
const settings = {
  workers: 2,
  pollMs: 2_000,
  windowMs: 100,
  longWindowMs: 1_000,
  roundMs: 600_000,
  lapseMs: 60_000,
  staleMs: 90_000,
  // Interval of coin audits. In a correct run an audit finds nothing to change, because only settlement writes to the
  // simulated tables.
  auditMs: 60_000,
  reconcileMs: 30_000,
};
const ledgerCanaries: readonly LedgerCanary[] = ["makes-coins", "commits-twice", "forgets-names"];
const ledgerFaults: readonly LedgerFault[] = [
  ...(["lost-before", "lost-after", "late", "held-locks"] as const),
  ...(["inactive", "no-traffic", "old-token"] as const),
];
/** Custody starts with `custodyPieces` holdings of each asset, each of this many whole coins. */
const custodyCoins = 100_000_000n;
const custodyPieces = 8;
/** Most cycles that settlement may need to complete after faults have ended. */
const cyclesToRest = 300;
const callsPerStep = 50;

export class SettlementSimulation {
  readonly ledger: SimulatedLedger;
  readonly rows: SimulatedSettlement;
  readonly audit: SettlementAudit;
  readonly #parts: SettlementSimulationParts;
  /** Parties of members, by account. */
  readonly parties: ReadonlyMap<number, Party>;
  readonly #brought = new Map<string, bigint>();
  /** Journal events that settlement looks up: credits and settled coins. */
  readonly #doings: VenueEvent[] = [];
  readonly #cycles: SimulatedCycles;
  /** Number of recorded coins that differed from the ledger's list. */
  #astray = 0;
  #isIll = false;
  #ids = 0;

  constructor(parts: SettlementSimulationParts) {
    const { ledgerMs, accounts, random, canary } = parts;
    this.#parts = parts;
    this.#cycles = new SimulatedCycles(random);
    this.parties = new Map(accounts.map((account) => [account, `m${account}::1220`]));
    const chance = {
      submission: (_: ChangeKey) => this.#dice(ledgerFaults, 20),
      stream: () => this.#dice<StreamFault>(["stall", "repeat"], 5),
    };
    const ledgerCanary = ledgerCanaries.find((one) => one === canary) ?? null;
    this.ledger = new SimulatedLedger({
      ...{ nowMs: ledgerMs, instruments, chance, canary: ledgerCanary },
    });
    const isOwn =
      canary === "loses-a-fill" ||
      canary === "settles-again" ||
      canary === "frees-too-little" ||
      canary === "forgets-a-coin";
    const newToken = () => random.below(2 ** 32).toString(16);
    const decimals = assets.map((asset) => asset.decimals);
    this.rows = new SimulatedSettlement({ decimals, newToken, canary: isOwn ? canary : null });
    this.audit = new SettlementAudit(testMarkets, this.parties, this.ledger.custody);
  }

  get cycles(): number {
    return this.#cycles.begun;
  }

  #dice<Fault>(faults: readonly Fault[], percent: number): Fault | null {
    const { random } = this.#parts;
    if (!this.#isIll || random.below(100) >= percent) return null;
    return faults[random.below(faults.length)] ?? null;
  }

  /**
   * Gives custody its coins. Each member gets the coins of its spot balance, recorded as already credited, and an
   * invitation, which it accepts.
   */
  async found(state: VenueState): Promise<void> {
    for (const { id, decimals } of assets)
      for (let piece = 0; piece < custodyPieces; piece++)
        this.#give(this.ledger.custody, id, custodyCoins * 10n ** BigInt(decimals));
    for (const [account, party] of this.parties) {
      this.ledger.host(party);
      for (const { id } of assets) {
        const amount = state.balances.total(account, Wallet.spot, id);
        if (amount === 0n) continue;
        this.#give(party, id, amount);
        const credit = { account, asset: id, amount, seqBefore: 0 };
        await this.rows.finishCredit(await this.rows.prepareCredit(credit), true);
      }
      await this.rows.addMember(account, party, []);
      await this.#invite(party);
    }
  }

  async #invite(member: Party): Promise<void> {
    const { ledger } = this;
    const change = { commandId: `enr:${member}`, submissionId: member, dedupOffset: 0 };
    const perBatchLimit = Object.fromEntries(assets.map(({ code }) => [code, 10n ** 27n]));
    const terms = { member, instruments, perBatchLimit, expiresAtMs: Number.MAX_SAFE_INTEGER };
    await ledger.propose({ ...change, actAs: [ledger.operator], ...terms });
    ledger.accept(member);
  }

  #give(party: Party, asset: number, amount: bigint): void {
    const { code, decimals } = testMarkets.asset(asset);
    this.ledger.tap(party, code, amount * 10n ** BigInt(10 - decimals));
    const name = `${party} ${asset}`;
    this.#brought.set(name, (this.#brought.get(name) ?? 0n) + amount);
  }

  /** Starts the services as the venue starts or restarts: only stored data remains. */
  start(send: ClearingClient["send"], committedSeq: () => number): void {
    this.#isIll = true;
    this.#cycles.start((calls) => this.#cycleOver(calls, send, committedSeq));
  }

  #cycleOver(
    calls: SimulatedCalls,
    send: ClearingClient["send"],
    committedSeq: () => number,
  ): SettlementCycle {
    const { random, nowMs, canary } = this.#parts;
    const broken = breaksOff(random, () => this.#isIll);
    const rows = calls.through(this.rows, broken);
    const coins = calls.through(this.rows.releases, broken);
    const journal = calls.through({
      wasCredited: async (credit: CreditRow) => this.#wasCredited(credit),
      releasesDone: async (releases: readonly CoinRelease[]) => this.#done(releases),
    });
    const clearing = createMirrorService({
      clearing: { send },
      table: testMarkets,
      committedSeq,
      ...journal,
    });
    const twice = async (account: number, asset: number, amount: bigint) => {
      await clearing.credit(account, asset, amount);
      return clearing.credit(account, asset, amount);
    };
    return new SettlementCycle({
      ...{ settings, store: rows, coins, network: calls.through(this.ledger) },
      instruments: new Map(instruments.map((instrument) => [instrument.id, instrument])),
      hostWallet: async () => undefined,
      clearing: canary === "credits-twice" ? { ...clearing, credit: twice } : clearing,
      table: testMarkets,
      report: () => undefined,
      followed: () => undefined,
      // Differences are counted here and checked at the end: an assertion inside a cycle could be mistaken for a fault
      // and retried.
      audited: (astray) => {
        this.#astray += astray;
      },
      isTrafficScarce: () => false,
      log: quietLog,
      ...{ now: nowMs, share: () => random.next(), newId: () => `id-${++this.#ids}` },
    });
  }

  die(): void {
    this.#cycles.die();
  }

  /** Records a durable event. */
  durable(event: VenueEvent): void {
    this.audit.take(event);
    if (event.kind === EventKind.credited || event.kind === EventKind.coinsSettled)
      this.#doings.push({ ...event });
    if (event.kind !== EventKind.traded) return;
    const market = testMarkets.market(event.market);
    const isBuy = event.takerSide === 0;
    const [taker, maker] = [event.account, event.makerAccount];
    const fill: SettledFill = {
      tradeId: event.tradeId,
      tsMs: Math.floor(event.tsUs / 1000),
      market: event.market,
      buyer: isBuy ? taker : maker,
      seller: isBuy ? maker : taker,
      qty: event.qty,
      quote: naiveWorth(market, BigInt(event.price) * BigInt(event.qty)),
      buyerFee: isBuy ? event.takerFee : event.makerFee,
      sellerFee: isBuy ? event.makerFee : event.takerFee,
    };
    this.rows.fills.push(fill);
  }

  /**
   * Executes some settlement calls and, now and then, an outside event; returns false while settlement waits for the
   * venue.
   */
  async step(): Promise<boolean> {
    const { random } = this.#parts;
    if (random.below(12) === 0) this.#outside();
    this.#cycles.begin();
    for (let left = 1 + random.below(callsPerStep); left > 0; left--)
      if (!(await this.#cycles.call())) return false;
    return true;
  }

  #outside(): void {
    const { random, nowMs } = this.#parts;
    const parties = [...this.parties.values()];
    const party = parties[random.below(parties.length)] ?? "";
    const { id, decimals } = testMarkets.asset(random.below(assets.length));
    const amount = BigInt(1 + random.below(200)) * 10n ** BigInt(decimals);
    const dice = random.below(100);
    if (dice < 40) this.ledger.participant.deliver(random.below(8));
    else if (dice < 55) this.ledger.accept(party);
    else if (dice < 65) this.#give(party, id, amount);
    else if (dice < 72) this.#take(party, id, amount);
    else if (dice < 76) this.ledger.preapprove(party, false);
    else if (dice < 86) this.ledger.preapprove(party, true);
    else if (dice < 88) this.ledger.revoke(party);
    else if (dice < 90) this.ledger.participant.die();
    else if (dice < 95) void this.#requeue(nowMs());
  }

  #take(party: Party, asset: number, amount: bigint): void {
    const { code, decimals } = testMarkets.asset(asset);
    if (!this.ledger.spend(party, "outsider::1220", code, amount * 10n ** BigInt(10 - decimals)))
      return;
    for (const [name, sign] of [
      [`${party} ${asset}`, -1n],
      [`outsider::1220 ${asset}`, 1n],
    ] as const)
      this.#brought.set(name, (this.#brought.get(name) ?? 0n) + sign * amount);
  }

  async #requeue(nowMs: number): Promise<void> {
    const failed = this.rows.batches.filter(({ state }) => state === BatchState.failed);
    for (const { batchId } of failed) {
      const name = `${batchId.replace(/-r\d+$/, "")}-r${++this.#ids}`;
      await this.rows.requeue(batchId, name, nowMs);
    }
  }

  /** Lets everything in flight finish. Call it once faults have ended; `turn` lets the venue work. */
  async rest(turn: () => Promise<void>, passMs: (ms: number) => void): Promise<void> {
    this.#isIll = false;
    for (const party of this.parties.values())
      for (const { id, decimals } of assets)
        this.#give(party, id, 1_000_000n * 10n ** BigInt(decimals));
    for (let cycles = 0; cycles < cyclesToRest; cycles++) {
      await this.#mend();
      passMs(61_000);
      await this.#cycles.whole(turn);
      if (cycles <= 5 || !(await this.#isQuiet())) continue;
      assert.equal(this.#astray, 0, "recorded coins must equal those on the ledger");
      return;
    }
    const left = this.rows.batches.filter(({ state }) => state !== BatchState.confirmed);
    assert.fail(
      `Settlement must complete; reasons of open batches: ${left.map(({ reason }) => reason).join(", ")}`,
    );
  }

  /**
   * Removes every obstacle: wallets give authority and preapprovals, late submissions commit, and the operator requeues
   * failed batches.
   */
  async #mend(): Promise<void> {
    while (this.ledger.participant.deliver(0));
    for (const party of this.parties.values()) {
      this.ledger.preapprove(party, true);
      this.ledger.accept(party);
    }
    await this.#requeue(this.#parts.nowMs());
  }

  async #isQuiet(): Promise<boolean> {
    const { fills } = await this.rows.backlog();
    const { tradeId } = await this.rows.cursor();
    const releases = [
      ...(await this.rows.releases.openReleases()),
      ...(await this.rows.openCredits()),
    ];
    const members = await this.rows.members();
    const isAnybodyOut = members.some(({ authCid, isFrozen }) => authCid === null || isFrozen);
    const isRead = tradeId === (this.rows.fills.at(-1)?.tradeId ?? 0);
    return fills === 0 && isRead && releases.length === 0 && !isAnybodyOut;
  }

  /** Audits settlement. `payments` are movements other than fills, in units of the ledger. */
  judge(state: VenueState, payments: readonly SwapPayment[]): void {
    const { ledger, rows } = this;
    const brought = new Map(this.#brought);
    for (const { sender, receiver, instrument, amount } of payments) {
      const { id, decimals } = present(
        testMarkets.findAsset(instrument.id),
        "the asset of a payment",
      );
      const units = amount / 10n ** BigInt(10 - decimals);
      for (const party of this.parties.values()) {
        const name = `${party} ${id}`;
        const change = (party === receiver ? units : 0n) - (party === sender ? units : 0n);
        brought.set(name, (brought.get(name) ?? 0n) + change);
      }
    }
    this.audit.judge({ state, ledger, rows, brought });
  }

  #wasCredited({ account, asset, amount, seqBefore }: CreditRow): boolean {
    return this.#doings.some((event) => {
      if (event.kind !== EventKind.credited || event.seq <= seqBefore) return false;
      const isIt = event.account === account && event.asset === asset && event.amount === amount;
      return isIt && event.wallet === Wallet.spot;
    });
  }

  #done(releases: readonly CoinRelease[]): Set<number> {
    const done = releases.filter(({ account, asset, amount, seqBefore }) =>
      this.#doings.some((event) => {
        if (event.kind !== EventKind.coinsSettled || event.seq <= seqBefore) return false;
        return event.account === account && event.asset === asset && event.amount === amount;
      }),
    );
    return new Set(done.map(({ releaseId }) => releaseId));
  }
}
