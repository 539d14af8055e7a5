// Proves that the threaded venue computes what one thread would. In whatever order the threads worked, a machine on one
// thread must reach the same state from the commands in the order clearing took them. Applying the journal from its
// first event must give the same state too.

import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PostgresEventStore } from "../../../src/adapters/postgres/event-store.ts";
import { InputKind, inputHeaderBytes } from "../../../src/adapters/runtime/input-log.ts";
import type { RingClearingClient } from "../../../src/adapters/runtime/ring-clearing-client.ts";
import { createLog } from "../../../src/adapters/telemetry/log.ts";
import { CommandKind, type PlaceOrder } from "../../../src/core/generated/commands.ts";
import { matcherRecordBytes } from "../../../src/core/limits.ts";
import type { MarketTable } from "../../../src/core/markets.ts";
import type { MatchLane } from "../../../src/core/match-messages.ts";
import {
  noOptions,
  type OrderAttachments,
  OrderType,
  Peg,
  Side,
  type StpMode,
  TimeInForce,
} from "../../../src/core/orders.ts";
import { RejectReason } from "../../../src/core/reject-reason.ts";
import { VenueState } from "../../../src/engine/state/venue-state.ts";
import { stateHash } from "../../../src/engine/state-hash.ts";
import { VenueMachine } from "../../../src/engine/venue-machine.ts";
import type { UnstampedCommand } from "../../../src/ports/clearing-client.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { verifyReplay } from "../../../src/venue/verification/verification.ts";
import { decodeCommand } from "../../../src/wire/generated/command-codec.ts";
import { deliverMatchReply } from "../../../src/wire/generated/message-codec.ts";
import { createRecordViews } from "../../../src/wire/records/record-views.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";

const matchers = 2;
/** A short interval, so that positions pay funding several times in a run. */
const fundingIntervalMs = 500;
const clients = 48;
const asks = 6_000;
const markets = [0, 1, 4, 5];
const inputLog = join(tmpdir(), `rialto-input-${process.pid}.log`);

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({
    MATCHERS: String(matchers),
    INPUT_LOG: inputLog,
    FUNDING_INTERVAL_MS: String(fundingIntervalMs),
  });
});

after(async () => {
  await fixture.close();
  await rm(inputLog, { force: true });
});

interface OpenOrder {
  readonly account: number;
  readonly market: number;
  readonly orderId: number;
}

/** Sends many orders and cancels concurrently, so that both matchers and both lanes are busy. */
async function play(clearing: RingClearingClient, accounts: readonly number[]): Promise<void> {
  const random = new SeededRandom(77);
  const open: OpenOrder[] = [];
  let done = 0;
  const client = async () => {
    while (done++ < asks) {
      const account = accounts[random.below(accounts.length)] ?? 0;
      const market = markets[random.below(markets.length)] ?? 0;
      const command = randomCommand(random, { account, market }, open);
      const reply = await clearing.send(command);
      if (command.kind !== CommandKind.placeOrder || reply.reason !== RejectReason.none) continue;
      open.push({ account, market, orderId: reply.subject });
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

function randomCommand(
  random: SeededRandom,
  at: { readonly account: number; readonly market: number },
  open: OpenOrder[],
): UnstampedCommand {
  const choice = random.below(100);
  const [cancelled] =
    choice < 25 && open.length > 0 ? open.splice(random.below(open.length), 1) : [];
  if (cancelled !== undefined) {
    return { kind: CommandKind.cancelOrder, ...cancelled, clientId: "" };
  }
  if (choice < 27) return { kind: CommandKind.cancelAllOrders, ...at };
  if (choice < 29) return { kind: CommandKind.barrier, account: 0 };
  const order = randomOrder(random, at.account, at.market);
  if (choice < 36) return { ...order, ...randomOptions(random, order) };
  const amended = choice < 44 ? open[random.below(open.length || 1)] : undefined;
  if (amended === undefined) return order;
  const { price, qty } = order;
  return { kind: CommandKind.amendOrder, ...amended, clientId: "", price, qty };
}

/** Draws trigger and peg of a conditional order. */
function randomTrigger(
  random: SeededRandom,
  type: OrderType,
  price: number,
  market: number,
): Partial<PlaceOrder> {
  const isLimit = type === OrderType.stop || type === OrderType.takeProfit;
  const triggerPrice = (price || 300_000) + random.below(200) - 100;
  const isPegged = isLimit && market < 4 && random.below(2) === 0;
  const peg = isPegged ? ((1 + random.below(2)) as Peg) : Peg.none;
  const pegOffset = isPegged ? random.below(3) : 0;
  return { type, price: isLimit ? price : 0, triggerPrice, peg, pegOffset };
}

/**
 * Draws the options of an order: conditional types, pegged or not, GTD dates within the test, reduce-only, and self-trade
 * modes.
 */
function randomOptions(
  random: SeededRandom,
  { price, market }: { price: number; market: number },
): Partial<PlaceOrder> {
  const stpMode = random.below(5) as StpMode;
  const choice = random.below(market < 4 ? 6 : 8);
  if (choice === 0) {
    const icebergQty = market < 4 && random.below(2) === 0 ? 150 : 0;
    if (icebergQty === 0 || price === 0) return { stpMode };
    return { type: OrderType.limit, timeInForce: TimeInForce.gtc, icebergQty, stpMode };
  }
  if (choice === 1) {
    const goodTillUs = (Date.now() + random.below(2000)) * 1000;
    return { type: OrderType.limit, timeInForce: TimeInForce.gtd, goodTillUs, stpMode };
  }
  if (choice < 6) {
    const type = (OrderType.stop + choice - 2) as OrderType;
    return { ...randomTrigger(random, type, price, market), stpMode };
  }
  if (choice === 6) return { isReduceOnly: true };
  return { type: OrderType.trailingStopMarket, price: 0, trailingBps: 10 + random.below(20) };
}

function randomOrder(random: SeededRandom, account: number, market: number) {
  const isBuy = random.below(2) === 0;
  const isSpot = market < 4;
  const middle = isSpot ? 100_000 : 300_000;
  const away = random.below(300) - 60;
  const timeInForce = [TimeInForce.gtc, TimeInForce.gtc, TimeInForce.ioc, TimeInForce.fok][
    random.below(4)
  ];
  const isMarket = random.below(12) === 0;
  return {
    kind: CommandKind.placeOrder,
    account,
    market,
    side: isBuy ? Side.buy : Side.sell,
    type: isMarket ? OrderType.market : OrderType.limit,
    timeInForce: timeInForce ?? TimeInForce.gtc,
    price: isMarket ? 0 : isBuy ? middle - away : middle + away,
    qty: isSpot ? 500 + random.below(1000) : 1 + random.below(30),
    ...noOptions,
    reusesClientId: random.below(2) === 0,
    clientId: random.below(3) === 0 ? `t-${random.below(2000)}` : "",
    attached: random.below(8) === 0 ? randomAttachments(random) : null,
  };
}

/** Draws a leverage and one of a few idempotency keys, so that some requests repeat. */
function randomAttachments(random: SeededRandom): OrderAttachments {
  const key = { high: 5n, low: BigInt(random.below(300)), payload: 7n };
  return { key, leverage: random.below(3) * 10 };
}

/** Feeds the input log to a machine; returns the machine and the number of records. */
async function replayInput(
  table: MarketTable,
): Promise<{ machine: VenueMachine; records: number }> {
  const machine = new VenueMachine({
    opensWithoutIndex: true,
    state: new VenueState(table),
    onEvent: () => undefined,
    onReply: () => undefined,
    fundingIntervalUs: fundingIntervalMs * 1000,
    matcherCount: matchers,
  });
  const log = await readFile(inputLog);
  const scratch = createRecordViews(new ArrayBuffer(1024));
  let records = 0;
  for (let at = 0; at < log.length; records++) {
    const [kind, matcher] = [log.readUInt8(at), log.readUInt8(at + 1)];
    const length = log.readUInt16LE(at + 2);
    scratch.u8.set(log.subarray(at + inputHeaderBytes, at + inputHeaderBytes + length));
    if (kind === InputKind.command) machine.take(decodeCommand(scratch, 0, length));
    else {
      assert.equal(length, matcherRecordBytes);
      deliverMatchReply(scratch, 0, length, {
        filled: () => undefined,
        reduced: () => undefined,
        removed: () => undefined,
        met: () => undefined,
        ended: (_market, _slot, _generation, lane: MatchLane) => machine.answerNext(matcher, lane),
      });
    }
    at += inputHeaderBytes + length;
  }
  return { machine, records };
}

test("machine, threads and journal reach the same state", async () => {
  const { venue, operator } = fixture;
  const accounts: number[] = [];
  for (let count = 0; count < 10; count++) {
    const { account } = await operator.createAccount(count === 0 ? "house" : "standard");
    for (const asset of ["USDC", "CC", "CBTC"]) {
      await operator.fund({ account, wallet: "spot", asset, amount: "10000000" });
    }
    await operator.fund({ account, wallet: "perp", asset: "USDC", amount: "100000" });
    accounts.push(account);
  }
  // Take the snapshot while accounts trade, so that its seq lies in the middle of the journal.
  await Promise.all([play(venue.clearing, accounts), venue.snapshots.fold()]);
  const { table } = venue;
  const { connection } = venue.database;
  await venue.close();
  const { machine, records } = await replayInput(table);
  assert(records > asks);
  const store = new PostgresEventStore({
    connection,
    log: createLog("error", "test"),
    isStopping: () => true,
  });
  const untilSeq = await store.lastSeq();
  const options = { untilSeq, projections: null, onProgress: () => undefined };
  const verification = await verifyReplay(store, table, options);
  await store.close();
  assert.equal(machine.state.seq, untilSeq);
  assert(untilSeq > asks);
  assert.equal(stateHash(machine.state), verification.stateHash);
  assert.deepEqual(verification.differences, []);
  assert(verification.snapshotsCompared >= 1, "A snapshot must have been taken during the run");
});
