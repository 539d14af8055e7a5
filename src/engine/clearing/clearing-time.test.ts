// Time in clearing: command deadlines, ticks, clocks that are set back, event time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId } from "../../../test/support/machine/test-markets.ts";
import { orderCommand, startUs, TestVenue } from "../../../test/support/machine/test-venue.ts";
import { type Command, CommandKind } from "../../core/generated/commands.ts";
import { Side } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { stateHash } from "../state-hash.ts";

const { btcPerp } = marketId;

test("ORD-22 a command past its deadline is refused without being evaluated", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  const order = orderCommand({ account, market: btcPerp, side: Side.buy, price: 10_000, qty: 5 });
  const id = venue.send(order).subject;
  const before = stateHash(venue.state);
  const late: Command[] = [
    venue.command(order),
    venue.command({
      kind: CommandKind.cancelOrder,
      account,
      market: btcPerp,
      orderId: id,
      clientId: "",
    }),
    venue.command({ kind: CommandKind.cancelAllOrders, account, market: btcPerp }),
    venue.command({ kind: CommandKind.openAccount, accountType: 0 }),
    venue.command({ kind: CommandKind.barrier }),
  ];
  for (const command of late) {
    venue.machine.handle({ ...command, deadlineUs: command.atUs - 1 });
    assert.equal(venue.replyTo(command).reason, RejectReason.deadlinePassed);
  }
  assert.equal(stateHash(venue.state), before);
  const onTime = venue.command(order);
  venue.machine.handle({ ...onTime, deadlineUs: onTime.atUs });
  assert.equal(venue.replyTo(onTime).reason, RejectReason.none);
});

test("a tick advances clearing's time without an event, so that commands which waited too long are refused", () => {
  const venue = new TestVenue();
  venue.open();
  const said = venue.replies.length;
  const before = stateHash(venue.state);
  const stale = venue.command({ kind: CommandKind.openAccount, accountType: 0 });
  const tick = venue.command({ kind: CommandKind.tick });
  venue.machine.handle({ ...tick, atUs: stale.deadlineUs + 1 });
  assert.equal(venue.replies.length, said);
  venue.machine.handle(stale);
  assert.equal(venue.replyTo(stale).reason, RejectReason.deadlinePassed);
  assert.equal(stateHash(venue.state), before);
});

test("the venue keeps working if a clock is set back, and deadlines follow the next tick", () => {
  const venue = new TestVenue();
  venue.open();
  const hourUs = 3_600_000_000;
  const tickAt = (atUs: number) =>
    venue.machine.handle({ ...venue.command({ kind: CommandKind.tick }), atUs });
  const openAt = (atUs: number) => {
    const command = venue.command({ kind: CommandKind.openAccount, accountType: 0 });
    venue.machine.handle({ ...command, atUs, deadlineUs: atUs + 1_000_000 });
    return venue.replyTo(command).reason;
  };
  const nowUs = venue.state.tsUs + 1000;
  tickAt(nowUs);
  assert.equal(openAt(nowUs), RejectReason.none);
  tickAt(nowUs - hourUs);
  assert.equal(openAt(nowUs - hourUs), RejectReason.none);
  tickAt(nowUs - hourUs + 2_000_000);
  assert.equal(openAt(nowUs - hourUs), RejectReason.deadlinePassed);
});

test("JRN-11 event times strictly increase, whatever times the sources send", () => {
  const venue = new TestVenue();
  const at = (atUs: number) => {
    const command = venue.command({ kind: CommandKind.openAccount, accountType: 0 });
    venue.machine.handle({ ...command, atUs, deadlineUs: startUs * 2 });
    return venue.state.tsUs;
  };
  assert.equal(at(startUs + 100), startUs + 100);
  assert.equal(at(startUs + 100), startUs + 101);
  assert.equal(at(startUs - 9_000_000), startUs + 102);
  assert.equal(at(startUs + 500), startUs + 500);
});

test("REW-12 deadlines follow the edge's time where it is another than the market's", () => {
  const venue = new TestVenue();
  const account = venue.open();
  const edgeStartUs = startUs + 9_000_000_000_000;
  let edgeUs = edgeStartUs;
  const tickAt = (atUs: number) => {
    venue.machine.handle({ ...venue.command({ kind: CommandKind.edgeTime, edgeUs }), atUs });
    venue.machine.handle({ ...venue.command({ kind: CommandKind.tick }), atUs, deadlineUs: atUs });
  };
  const reasonAt = (atUs: number, deadlineUs: number) => {
    const command = venue.command({ kind: CommandKind.openAccount, accountType: 0 });
    venue.machine.handle({ ...command, atUs, deadlineUs });
    return venue.replyTo(command).reason;
  };
  const beginUs = venue.state.tsUs + 1000;
  const session = { sessionId: 1, expiresUs: edgeUs + 60_000_000 };
  tickAt(beginUs);
  const opening = venue.command({ kind: CommandKind.openSession, account, ...session });
  venue.machine.handle({ ...opening, deadlineUs: edgeUs });
  assert.equal(venue.replyTo(opening).reason, RejectReason.none);
  const deadlineUs = edgeUs + 5_000_000;
  const leaptUs = beginUs + 24 * 3_600_000_000;
  tickAt(leaptUs);
  assert.equal(reasonAt(leaptUs, deadlineUs), RejectReason.none, "a leap makes nothing late");
  assert.equal(reasonAt(leaptUs + 1e12, deadlineUs), RejectReason.none);
  assert.notEqual(venue.state.sessions.get(1), undefined);
  edgeUs = deadlineUs + 1;
  tickAt(leaptUs + 2e12);
  assert.equal(reasonAt(leaptUs + 2e12, deadlineUs), RejectReason.deadlinePassed);
  assert.notEqual(venue.state.sessions.get(1), undefined, "the session lasts longer");
  edgeUs = session.expiresUs;
  tickAt(leaptUs + 2e12 + 1000);
  assert.equal(venue.state.sessions.get(1), undefined);
});
