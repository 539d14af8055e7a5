// Fills a journal without a venue. The single-threaded engine (`VenueMachine`) executes orders that are drawn from a
// seed, the journal's own projection turns the events into batches, and the event store commits them, so the tables
// hold what a venue would have written. Used by rows about size, not about speed.

import type { PostgresConnectionOptions } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { AccountType, Wallet } from "../../src/core/accounts.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import { noOptions, OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import { captureState, restoreState } from "../../src/engine/state/snapshot/venue-snapshot.ts";
import { VenueMachine } from "../../src/engine/venue-machine.ts";
import type { Projection } from "../../src/services/journal/projection.ts";
import { recover, takeSnapshot } from "../../src/services/journal/replay.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { encodeEvent, eventBytes } from "../../src/wire/generated/event-codec.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { testMarkets } from "../../test/support/machine/test-markets.ts";
import { standardMarkets } from "../load/standard-markets.ts";

/** How much a journal must contain. */
export interface FillTarget {
  /** Smallest number of events to add. */
  readonly events: number;
  /** Approximate number of resting orders at the end. */
  readonly restingOrders: number;
  /** Number of accounts to open, each with money in its spot wallet. */
  readonly accounts: number;
  /** Largest distance of resting orders from the middle price, in ticks; 300 by default. */
  readonly depthTicks?: number;
  /** Share of orders with a client order id, from 0 to 1; 0 by default. */
  readonly namedShare?: number;
}

export interface FillOptions extends FillTarget {
  readonly connection: PostgresConnectionOptions;
  /** True to end with every row written and a snapshot, as after a clean stop. */
  readonly endsInOrder: boolean;
  readonly say: (message: string) => void;
}

const batchEvents = 4000;
const batchBytes = 2 ** 20;
const silent = (): void => undefined;
const silentLog = { debug: silent, info: silent, warn: silent, error: silent };
/** Default of `depthTicks`. Crossing orders are priced this far into the other side of the book. */
const usualDepthTicks = 300;
/**
 * Initial money of an account in minor units of each asset. The sum over a hundred thousand accounts stays below the
 * venue's limit.
 */
const funding = [10n ** 11n, 5n * 10n ** 12n, 10n ** 9n, 2n * 10n ** 10n] as const;
const microsecondsPerCommand = 40;
const microsecondsPerSecond = 1_000_000;

/**
 * Adds events to the journal in the database of `connection`; returns the last seq. No venue may be running on this
 * database.
 */
export async function fillJournal(options: FillOptions): Promise<number> {
  const { connection } = options;
  const store = new PostgresEventStore({ connection, log: silentLog, isStopping: () => true });
  try {
    await store.becomeWriter();
    const recovery = await recover(store, testMarkets, { projectionIntervalMs: 250 });
    const filler = new JournalFiller(options, store, recovery.projection);
    await filler.openAccounts();
    await filler.trade();
    if (options.endsInOrder) await filler.end();
    return filler.seq;
  } finally {
    await store.close();
  }
}

class JournalFiller {
  readonly #options: FillOptions;
  readonly #store: PostgresEventStore;
  readonly #projection: Projection;
  readonly #machine: VenueMachine;
  readonly #random = new SeededRandom(1);
  /** Two alternating buffers: one takes the events of the next batch while the other one is committed. */
  #views = createRecordViews(new ArrayBuffer(batchBytes * 2));
  #committing = createRecordViews(new ArrayBuffer(batchBytes * 2));
  #committed: Promise<unknown> = Promise.resolve();
  readonly #firstSeq: number;
  readonly #firstAccount: number;
  #used = 0;
  #atUs: number;

  constructor(options: FillOptions, store: PostgresEventStore, projection: Projection) {
    this.#options = options;
    this.#store = store;
    this.#projection = projection;
    const { state } = projection;
    this.#firstSeq = state.seq;
    this.#firstAccount = state.accounts.next;
    // The journal's time continues from its last event, and ends well before the present.
    const spanUs = options.events * microsecondsPerCommand * 2;
    this.#atUs = Math.max(state.tsUs + 1, Date.now() * 1000 - spanUs);
    this.#machine = new VenueMachine({
      opensWithoutIndex: true,
      state: restoreState(testMarkets, captureState(state)),
      onEvent: (event) => this.#take(event),
      onReply: silent,
    });
  }

  get seq(): number {
    return this.#machine.state.seq;
  }

  async openAccounts(): Promise<void> {
    for (let opened = 0; opened < this.#options.accounts; opened++) {
      const account = this.#firstAccount + opened;
      const kind = CommandKind.openAccount;
      await this.#handle({ kind, account: 0, accountType: AccountType.standard, ...this.#stamp() });
      for (const [asset, amount] of funding.entries()) {
        const credit = { account, wallet: Wallet.spot, asset, amount, isFromFaucet: true };
        await this.#handle({ kind: CommandKind.credit, ...credit, ...this.#stamp() });
      }
    }
  }

  /**
   * Places passive orders until enough orders rest. After that about half of the orders cross, which keeps the number
   * of resting orders about constant.
   */
  async trade(): Promise<void> {
    const { events, restingOrders, say } = this.#options;
    const { orders } = this.#machine.state;
    let told = 0;
    while (this.seq - this.#firstSeq < events || orders.openCount < restingOrders) {
      const isCrossing = orders.openCount >= restingOrders && this.#random.next() < 0.55;
      await this.#handle(this.#order(isCrossing));
      if (this.seq - told >= 1_000_000) {
        told = this.seq;
        say(`${told} events in the journal, ${orders.openCount} resting orders`);
      }
    }
    await this.#flush();
    await this.#committed;
  }

  /** Writes the pending rows and a snapshot of the state. */
  async end(): Promise<void> {
    while (this.#projection.hasPendingRows) {
      const rows = this.#projection.close(new Uint8Array(), Number.POSITIVE_INFINITY);
      await this.#store.appendBatch(rows);
    }
    await this.#store.writeSnapshot(takeSnapshot(this.#projection.state));
  }

  #order(isCrossing: boolean): Command {
    const random = this.#random;
    const market = random.below(standardMarkets.length);
    const { middleTicks, qtyLotsMin } = standardMarkets[market] ?? {
      middleTicks: 0,
      qtyLotsMin: 0,
    };
    const isBuy = random.next() < 0.5;
    const { depthTicks = usualDepthTicks, namedShare = 0 } = this.#options;
    const reach = Math.min(depthTicks, middleTicks - 1);
    const distance = isCrossing ? -reach : 1 + random.below(reach);
    const isNamed = namedShare > 0 && random.next() < namedShare;
    return {
      kind: CommandKind.placeOrder,
      account: this.#firstAccount + random.below(this.#options.accounts),
      market,
      side: isBuy ? Side.buy : Side.sell,
      type: OrderType.limit,
      timeInForce: TimeInForce.gtc,
      price: middleTicks + (isBuy ? -distance : distance),
      qty: qtyLotsMin + random.below(2 * qtyLotsMin),
      ...noOptions,
      reusesClientId: false,
      // Client ids are as long as those that client libraries generate.
      clientId: isNamed ? `x-bench-${String(this.#atUs).padStart(24, "0")}` : "",
      attached: null,
      ...this.#stamp(),
    };
  }

  #stamp(): { source: number; correlation: number; atUs: number; deadlineUs: number } {
    this.#atUs += microsecondsPerCommand;
    const deadlineUs = this.#atUs + microsecondsPerSecond;
    return { source: 0, correlation: 0, atUs: this.#atUs, deadlineUs };
  }

  async #handle(command: Command): Promise<void> {
    this.#machine.handle(command);
    if (this.#projection.events >= batchEvents || this.#used >= batchBytes) await this.#flush();
  }

  #take(event: VenueEvent): void {
    encodeEvent(this.#views, this.#used, event);
    const length = eventBytes(event);
    this.#projection.fold(event, length, Date.now());
    this.#used += length;
  }

  /** Waits until the previous batch is committed, then commits the current one. */
  async #flush(): Promise<void> {
    if (this.#projection.events === 0) return;
    const bytes = this.#views.u8.subarray(0, this.#used);
    const batch = this.#projection.close(bytes, Date.now());
    await this.#committed;
    this.#committed = this.#store.appendBatch(batch);
    [this.#views, this.#committing] = [this.#committing, this.#views];
    this.#used = 0;
  }
}
