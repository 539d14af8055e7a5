// Settles what members and custody, or two members, owe each other: takes committed fills into the open
// batch of their pair, seals batches that are due, and carries sealed ones to the ledger.
//
//   fills ─gather─▶ open ─seal─▶ ready ─▶ processing ─▶ confirmed
//                                   ▲          │ no attempt of the round can commit
//                                   └─ retry ◀─┘
//
// Exactly once: what is about to be sent is written first; every attempt of a round has one command id,
// one deadline and one offset to deduplicate from; a round ends only when the ledger said no to its only
// attempt, or when its deadline has passed on the ledger and no completion is there.

import { assert, present } from "../../core/assert.ts";
import { toLedgerAmount } from "../../core/ledger-amount.ts";
import type { MarketTable } from "../../core/markets.ts";
import { MarketKind } from "../../core/markets.ts";
import type {
  BatchCommand,
  ChangeKey,
  Instrument,
  LedgerNetwork,
  Leg,
  MemberOperation,
  Outcome,
  Party,
} from "../../ports/ledger.ts";
import type { Log } from "../../ports/log.ts";
import type {
  BatchLeg,
  BatchRow,
  Coin,
  SettledFill,
  SettlementStore,
} from "../../ports/settlement-store.ts";
import { exposureOf } from "./exposure.ts";
import { pairOf } from "./fill-parties.ts";
import { type FillTerms, netHash, netLegs } from "./netting.ts";
import { isGivenUp, retryDelayMs } from "./retry-delay.ts";
import { type SealSettings, sealReason } from "./seal-rule.ts";

export interface SettlerParts {
  readonly store: SettlementStore;
  readonly network: LedgerNetwork;
  readonly table: MarketTable;
  readonly instruments: ReadonlyMap<number, Instrument>;
  readonly seal: SealSettings;
  readonly workers: number;
  readonly now: () => number;
  /** A random share from 0 up to 1. */
  readonly share: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

const fillsPerPage = 2000;
const inputsMax = 100;
/** How long the attempts of one round may commit; the ledger itself refuses them afterwards. */
const roundMs = 600_000;
/** No attempt is begun so close to the deadline that it would only be refused. */
const lastAttemptMs = 5_000;
/** A deadline counts as passed on the ledger this long after it. */
const lapseMs = 120_000;
/** How soon an attempt whose outcome is unknown is looked at again. */
const unknownDelayMs = 1_000;

export class Settler {
  readonly #parts: SettlerParts;
  readonly #busy = new Set<Party>();
  /** Coins are chosen by one batch at a time. */
  #choosing: Promise<unknown> = Promise.resolve();

  constructor(parts: SettlerParts) {
    this.#parts = parts;
  }

  /** Takes every committed fill since the last time into its batch. */
  async gather(): Promise<number> {
    const { store, now } = this.#parts;
    const markets = this.#parts.table.markets
      .filter(({ kind }) => kind === MarketKind.spot)
      .map(({ id }) => id);
    const parties = await this.#parties();
    let taken = 0;
    for (;;) {
      const { fills, through } = await store.nextFills(markets, fillsPerPage);
      if (through === 0) return taken;
      const placed = fills.flatMap((fill) => {
        const pair = pairOf(parties(fill.buyer), parties(fill.seller));
        return pair === null ? [] : [{ fill, ...pair }];
      });
      await store.takeFills(placed, through, now());
      taken += placed.length;
    }
  }

  /** Freezes the batches that have waited long enough, or all of them. */
  async seal(isForced = false): Promise<void> {
    const { store, now, seal, network } = this.#parts;
    const parties = await this.#parties();
    for (const batch of await store.openBatches()) {
      const fills = await store.fillsOf(batch.batchId);
      const terms = fills.map((fill) => this.#terms(fill, parties));
      const pair = { a: batch.partyA, b: batch.partyB };
      const legs = netLegs(terms, pair, network.custody);
      const open = {
        fillCount: batch.fillCount,
        exposure: exposureOf(legs, terms),
        ageMs: now() - batch.openedMs,
        isShortOfHeadroom: false,
        isMarketClosing: false,
      };
      if (!isForced && sealReason(open, false, seal) === null) continue;
      const hash = netHash(
        legs,
        fills.map(({ tradeId }) => tradeId),
      );
      await store.seal(batch.batchId, legs, hash);
    }
  }

  /** Works on what is due, a few batches at a time and one at a time for each member. */
  async work(): Promise<void> {
    const { store, now, workers, network } = this.#parts;
    const due = await store.dueBatches(now());
    const works = async (): Promise<void> => {
      for (let batch = due.shift(); batch !== undefined; batch = due.shift()) {
        const members = [batch.partyA, batch.partyB].filter((party) => party !== network.custody);
        if (members.some((party) => this.#busy.has(party))) continue;
        for (const party of members) this.#busy.add(party);
        try {
          await this.#settle(batch, members);
        } finally {
          for (const party of members) this.#busy.delete(party);
        }
      }
    };
    await Promise.all(Array.from({ length: workers }, works));
  }

  async #parties(): Promise<(account: number) => Party> {
    const { store, network } = this.#parts;
    const members = await store.members();
    const byAccount = new Map(members.map(({ account, party }) => [account, party]));
    return (account) => byAccount.get(account) ?? network.custody;
  }

  #terms(fill: SettledFill, parties: (account: number) => Party): FillTerms {
    const market = present(this.#parts.table.markets[fill.market], "a fill's market");
    const { tradeId, qty, quote, buyerFee, sellerFee } = fill;
    return {
      tradeId,
      buyer: parties(fill.buyer),
      seller: parties(fill.seller),
      base: present(market.base, "a spot market has a base").id,
      quote: market.quote.id,
      baseAmount: BigInt(qty) * market.baseUnitsPerLot,
      quoteAmount: quote,
      buyerFee,
      sellerFee,
    };
  }

  async #settle(batch: BatchRow, members: readonly Party[]): Promise<void> {
    const { store, network, log } = this.#parts;
    const { batchId } = batch;
    if (batch.dedupOffset !== null && (await this.#isAnswered(batch))) return;
    const command = await this.#command(batch, members);
    if (command === null) return;
    const outcome = await network.settleDirect(command);
    if (outcome.kind === "committed") {
      const isOnly = await store.confirm(batchId, outcome.updateId, outcome.offset);
      if (!isOnly) log.error({ batchId, updateId: outcome.updateId }, "a batch settled twice");
      return;
    }
    await this.#after(batch, outcome);
  }

  /** Looks for an earlier attempt of the round; true where nothing is to be sent now. */
  async #isAnswered(batch: BatchRow): Promise<boolean> {
    const { store, network, now } = this.#parts;
    const { batchId, deadlineMs } = batch;
    const found = await network.lookup(changeOf(batch, this.#actAs(batch)));
    if (found.kind === "committed") {
      await store.confirm(batchId, found.updateId, found.offset);
      return true;
    }
    const deadline = present(deadlineMs, "a round with an attempt has a deadline");
    if (now() < deadline - lastAttemptMs) return false;
    const ledgerMs = found.kind === "absent" ? Date.parse(found.recordTime ?? "") : now();
    // Later than every attempt may commit, and none has: the round is over for good.
    if (ledgerMs > deadline + lapseMs) await this.#giveBack(batch, "no attempt was in time");
    else await store.unknown(batchId, now() + unknownDelayMs, "waiting for the deadline");
    return true;
  }

  /** What to send, written down before it is; null where the batch has to wait. */
  async #command(batch: BatchRow, parties: readonly Party[]): Promise<BatchCommand | null> {
    const { store, network, now, newId } = this.#parts;
    const { batchId } = batch;
    const members = await this.#operations(parties);
    if (members === null) {
      await this.#wait(batch, "a member has no authority on the ledger");
      return null;
    }
    const deadlineMs = batch.deadlineMs ?? now() + roundMs;
    const choice = this.#choosing.then(async () => {
      const legs = await this.#fundedLegs(batchId, await store.legsOf(batchId));
      if (legs === null) return null;
      const submissionId = newId();
      const dedupOffset = batch.dedupOffset ?? (await network.ledgerEnd());
      const inputs = legs.flatMap((leg) => leg.inputs);
      await store.begin({ batchId, dedupOffset, deadlineMs, submissionId, inputs });
      return { legs, submissionId, dedupOffset };
    });
    this.#choosing = choice.catch(() => undefined);
    const chosen = await choice;
    if (chosen === null) {
      await this.#wait(batch, "not enough coins are free");
      return null;
    }
    const { legs, ...sent } = chosen;
    const change = changeOf({ ...batch, ...sent }, this.#actAs(batch));
    const requestedAtMs = deadlineMs - roundMs;
    return { ...change, batchId, members, legs, requestedAtMs, executeBeforeMs: deadlineMs };
  }

  #actAs({ partyA, partyB }: BatchRow): Party[] {
    const { operator, custody } = this.#parts.network;
    return partyA === custody || partyB === custody ? [operator, custody] : [operator];
  }

  async #operations(parties: readonly Party[]): Promise<MemberOperation[] | null> {
    const { network } = this.#parts;
    const at = await network.ledgerEnd();
    const found = await Promise.all(
      parties.map(async (member) => {
        const contracts = await network.contracts(member, network.templates.memberAuth, at);
        const own = contracts.find(({ payload }) => payload["member"] === member);
        if (own === undefined) return null;
        return { member, authCid: own.contractId, opNo: Number(own.payload["nextOpNo"]) };
      }),
    );
    return found.every((operation) => operation !== null) ? found : null;
  }

  async #fundedLegs(batchId: string, legs: readonly BatchLeg[]): Promise<Leg[] | null> {
    const { store, table, instruments } = this.#parts;
    const funded: Leg[] = [];
    for (const { asset, sender, receiver, amount } of legs) {
      const { decimals } = present(table.assets[asset], "a leg's asset");
      const units = toLedgerAmount(amount, decimals);
      const inputs = chooseCoins(await store.freeCoins(sender, asset, batchId), units);
      if (inputs === null) return null;
      const instrument = present(instruments.get(asset), "an asset on the ledger");
      funded.push({
        legId: `${batchId}-${asset}`,
        sender,
        receiver,
        instrument,
        amount: units,
        inputs,
      });
    }
    return funded;
  }

  async #after(batch: BatchRow, outcome: Exclude<Outcome, { kind: "committed" }>): Promise<void> {
    const { store, now, log } = this.#parts;
    const { batchId } = batch;
    const reason = outcome.words;
    // While an earlier attempt may still commit, no answer to this one ends the round.
    if (outcome.kind === "unknown" || batch.isUnknown) {
      await store.unknown(batchId, now() + unknownDelayMs, reason);
      return;
    }
    if (outcome.action === "stop") {
      log.error({ batchId, reason }, "the ledger refuses a batch");
      await this.#giveBack(batch, reason);
      await store.end(batchId, "failed", reason, now());
      return;
    }
    await this.#giveBack(batch, reason);
  }

  /** Ends the round: nothing of it is or comes on the ledger. */
  async #giveBack(batch: BatchRow, reason: string): Promise<void> {
    const { store, now, share, log } = this.#parts;
    const attempts = batch.attempts + 1;
    await store.retry(batch.batchId, now() + retryDelayMs(attempts, share(), true), reason);
    if (!isGivenUp(attempts, now() - batch.openedMs)) return;
    log.error({ batchId: batch.batchId, reason }, "a batch is given up");
    await store.end(batch.batchId, "failed", reason, now());
  }

  /** Nothing was sent: the batch keeps its state and is looked at again. */
  async #wait(batch: BatchRow, reason: string): Promise<void> {
    const { store, now, share, log } = this.#parts;
    log.warn({ batchId: batch.batchId, reason }, "a batch waits");
    const dueMs = now() + retryDelayMs(3, share(), false);
    if (batch.isUnknown) await store.unknown(batch.batchId, dueMs, reason);
    else await store.retry(batch.batchId, dueMs, reason);
  }
}

function changeOf(batch: BatchRow, actAs: readonly Party[]): ChangeKey {
  const { batchId, round, dedupOffset, submissionId } = batch;
  assert(dedupOffset !== null && submissionId !== null, "an attempt was written down");
  return { commandId: commandIdOf(batchId, round), actAs, dedupOffset, submissionId };
}

const commandForm = /^stl:([^:]+):\d+:direct$/;

/** The same for every attempt of a round. */
export function commandIdOf(batchId: string, round: number): string {
  return `stl:${batchId}:${round}:direct`;
}

/** The batch a command id of the settler is about; null for any other command. */
export function batchOfCommand(commandId: string | null): string | null {
  return commandForm.exec(commandId ?? "")?.[1] ?? null;
}

/** Coins that pay `units`: the small ones first, which merges them, else the large ones; null if short. */
export function chooseCoins(ascending: readonly Coin[], units: bigint): string[] | null {
  for (const order of [ascending, [...ascending].reverse()]) {
    const chosen: string[] = [];
    let sum = 0n;
    for (const coin of order.slice(0, inputsMax)) {
      if (sum >= units) break;
      chosen.push(coin.contractId);
      sum += coin.amount;
    }
    if (sum >= units) return chosen;
  }
  return null;
}
