// Measures the event codec: encoding into a ring record, decoding in place, and decoding unaligned rows as the database
// returns them. A direct run prints the figures.

import { fileURLToPath } from "node:url";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { decodeEvent, encodeEvent } from "../../src/wire/generated/event-codec.ts";
import { decodeEventBytes } from "../../src/wire/records/event-bytes.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { nanoseconds } from "./sampling.ts";

const header = {
  seq: 2 ** 33 + 7,
  tsUs: 1_700_000_000_000_000,
  account: 1001,
  isTransactionEnd: true,
};

const accepted: VenueEvent = {
  ...header,
  kind: EventKind.orderAccepted,
  orderId: 123_456_789,
  market: 3,
  side: 1,
  type: 0,
  timeInForce: 0,
  price: 6_500_000,
  qty: 12_000,
  marginPrice: 6_500_000,
  marginLots: 12_000,
  isReduceOnly: false,
  stpMode: 0,
  clientId: "",
};

const traded: VenueEvent = {
  ...header,
  kind: EventKind.traded,
  tradeId: 987_654,
  market: 3,
  takerSide: 0,
  takerOrderId: 123_456_790,
  makerOrderId: 123_456_789,
  makerAccount: 1002,
  price: 6_500_000,
  qty: 5000,
  takerFee: 325_000n,
  makerFee: 130_000n,
  takerPnl: 0n,
  makerPnl: -1_250_000n,
};

const closed: VenueEvent = {
  ...header,
  kind: EventKind.orderClosed,
  orderId: 1,
  market: 3,
  reason: 0,
};

const samples: Readonly<Record<string, VenueEvent>> = {
  accepted,
  "accepted with client id": { ...accepted, clientId: "x-desk7-000000000042" },
  traded,
  closed,
};

/**
 * Measures every sample in three ways (encode, decode in place, decode unaligned), then a mix of all samples from
 * unaligned rows.
 */
export async function measure(): Promise<Record<string, number>> {
  const views = createRecordViews(new SharedArrayBuffer(4096));
  const figures: Record<string, number> = {};
  for (const [name, event] of Object.entries(samples)) {
    const bytes = encodeEvent(views, 64, event);
    const row = Buffer.from(views.u8.slice(61, 64 + bytes));
    const took = await nanoseconds({
      [`${name}: encode, ns`]: () => encodeEvent(views, 64, event),
      [`${name}: decode in place, ns`]: () => decodeEvent(views, 64, bytes).account,
      [`${name}: decode unaligned, ns`]: () => decodeEventBytes(row, 3, bytes).account,
    });
    Object.assign(figures, took);
  }
  const mix = Object.values(samples).map((event) => {
    const bytes = encodeEvent(views, 64, event);
    return Buffer.from(views.u8.slice(64, 64 + bytes));
  });
  let next = 0;
  const { mixed } = await nanoseconds({
    mixed: () => {
      const row = mix[next++ & 3] ?? Buffer.alloc(0);
      return decodeEventBytes(row, 0, row.length).account;
    },
  });
  return { ...figures, "mix: decode from rows, M events/s": 1000 / mixed };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
}
