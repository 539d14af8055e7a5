// Measures encoding and decoding of commands and matcher requests in ring memory. A direct run prints the figures.

import { fileURLToPath } from "node:url";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import { emptyMatchRequest } from "../../src/core/generated/messages.ts";
import { matcherRecordBytes } from "../../src/core/limits.ts";
import { noOptions } from "../../src/core/orders.ts";
import { decodeCommand, encodeCommand } from "../../src/wire/generated/command-codec.ts";
import { decodeMatchRequest, encodeMatchRequest } from "../../src/wire/generated/message-codec.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { nanoseconds } from "./sampling.ts";

const header = {
  source: 1,
  correlation: 77,
  atUs: 1_700_000_000_000_000,
  deadlineUs: 1_700_000_004_000_000,
  account: 1001,
};

const samples: Readonly<Record<string, Command>> = {
  place: {
    ...header,
    kind: CommandKind.placeOrder,
    market: 3,
    side: 0,
    type: 0,
    timeInForce: 0,
    price: 6_500_000,
    qty: 12_000,
    ...noOptions,
    reusesClientId: false,
    clientId: "",
    attached: null,
  },
  cancel: {
    ...header,
    kind: CommandKind.cancelOrder,
    market: 3,
    orderId: 0,
    clientId: "x-desk7-000000000042",
  },
};

/** Measures encoding and decoding of two commands and a matcher request. */
export async function measure(): Promise<Record<string, number>> {
  const views = createRecordViews(new SharedArrayBuffer(4096));
  const figures: Record<string, number> = {};
  for (const [name, command] of Object.entries(samples)) {
    const bytes = encodeCommand(views, 64, command);
    const took = await nanoseconds({
      [`${name}: encode, ns`]: () => encodeCommand(views, 64, command),
      [`${name}: decode, ns`]: () => decodeCommand(views, 64, bytes).account,
    });
    Object.assign(figures, took);
  }
  const request = emptyMatchRequest();
  const took = await nanoseconds({
    "match request: encode, ns": () => {
      request.slot = (request.slot + 1) & 0xffff;
      encodeMatchRequest(views, 64, request);
      return request.slot;
    },
    "match request: decode, ns": () => {
      decodeMatchRequest(views, 64, matcherRecordBytes, request);
      return request.slot;
    },
  });
  return { ...figures, ...took };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
}
