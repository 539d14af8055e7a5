// Tests which commands a venue accepts while it does not accept all of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { orderCommand } from "../../../test/support/machine/test-venue.ts";
import { type Command, CommandKind } from "../../core/generated/commands.ts";
import { Side } from "../../core/orders.ts";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { Doorbell } from "../../wire/doorbell.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { CommandRingSink } from "./command-ring-sink.ts";

const stamp = { source: 0, correlation: 1, atUs: 1, deadlineUs: 2 };
const order: Command = {
  ...orderCommand({ account: 1, market: 0, side: Side.buy, qty: 1, price: 1 }),
  ...stamp,
  account: 1,
};
const cancel: Command = {
  kind: CommandKind.cancelOrder,
  account: 1,
  market: 0,
  orderId: 7,
  clientId: "",
  ...stamp,
};

function sinkOf(counters: CountersBuffer, outlivesDrain: boolean): CommandRingSink {
  const memory = { orders: SpscRing.allocate(2 ** 16), cancels: SpscRing.allocate(2 ** 16) };
  return new CommandRingSink(memory, new Doorbell(Doorbell.allocate()), counters, outlivesDrain);
}

test("LDR-12 while only cancels are accepted, clients' cancels and the venue's own commands pass", () => {
  const counters = new CountersBuffer(CountersBuffer.allocate(1));
  const [clients, own] = [sinkOf(counters, false), sinkOf(counters, true)];
  counters.setCancelOnly(true);
  assert.equal(clients.trySend(order, "orders"), false);
  assert.equal(clients.trySend(cancel, "cancels"), true);
  assert.equal(own.trySend(order, "orders"), true);
  counters.setCancelOnly(false);
  assert.equal(clients.trySend(order, "orders"), true);
});
