// Proves that commands of every kind survive encoding and decoding, and that bytes which are not a command are refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../src/core/assert.ts";
import { type Command, CommandKind, type PlaceOrder } from "../../src/core/generated/commands.ts";
import { commandBytesMax } from "../../src/core/limits.ts";
import { noOptions } from "../../src/core/orders.ts";
import {
  commandBytes,
  decodeCommand,
  encodeCommand,
} from "../../src/wire/generated/command-codec.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { anyCommand, commandOfEachKind } from "./record-arbitraries.ts";

const views = createRecordViews(new ArrayBuffer(2 * commandBytesMax));

const sampleOrder: PlaceOrder = {
  kind: CommandKind.placeOrder,
  source: 1,
  correlation: 2,
  atUs: 3,
  deadlineUs: 4,
  account: 5,
  market: 6,
  side: 0,
  type: 0,
  timeInForce: 0,
  price: 7,
  qty: 8,
  ...noOptions,
  reusesClientId: false,
  clientId: "abc",
  attached: null,
};

test("every kind of command has a generator", () => {
  const kinds = commandOfEachKind.map((one) => fc.sample(one, 1)[0]?.kind);
  assert.deepEqual(new Set(kinds), new Set(Object.values(CommandKind)));
});

for (const one of commandOfEachKind) {
  const kind = fc.sample(one, 1)[0]?.kind;
  const name = Object.entries(CommandKind).find(([, code]) => code === kind)?.[0];
  test(`${name} survives encoding and decoding, within its length`, () => {
    fc.assert(
      fc.property(one, (command) => {
        views.u8.fill(0xa5);
        const bytes = encodeCommand(views, 8, command);
        assert.equal(bytes, commandBytes(command));
        assert.ok(bytes <= commandBytesMax);
        assert.ok(views.u8.subarray(8 + bytes).every((byte) => byte === 0xa5));
        assert.deepEqual(decodeCommand(views, 8, bytes), command);
      }),
      { numRuns: 300 },
    );
  });
}

test("decoding a command of the wrong length fails an assertion", () => {
  fc.assert(
    fc.property(anyCommand, fc.nat(commandBytesMax), (command, cut) => {
      const bytes = encodeCommand(views, 0, command);
      for (const length of [cut, bytes - 1, bytes + 1]) {
        if (length === bytes) continue;
        assert.throws(() => decodeCommand(views, 0, length), AssertionFailure);
      }
    }),
  );
});

test("random bytes fail an assertion or decode to a command that encodes to the same fields", () => {
  const kinds = fc.constantFrom(...Object.values(CommandKind), 0, 99);
  const sizes = fc.oneof(fc.nat(commandBytesMax), fc.constantFrom(32, 40, 48, 56));
  const randomBytes = sizes.chain((size) => fc.uint8Array({ minLength: size, maxLength: size }));
  let decodedCount = 0;
  fc.assert(
    fc.property(randomBytes, kinds, fc.boolean(), (bytes, kind, dressed) => {
      views.u8.set(bytes);
      // Zero the numbers and remove the client id, so that the checks of the body are reached.
      if (dressed) views.u8.fill(0, 8, 48).fill(kind, 0, 1).fill(0, 1, 2);
      let command: Command;
      try {
        command = decodeCommand(views, 0, bytes.length);
      } catch (error) {
        assert.ok(error instanceof AssertionFailure, String(error));
        return;
      }
      decodedCount++;
      const again = encodeCommand(views, 0, command);
      assert.deepEqual(decodeCommand(views, 0, again), command);
    }),
    { numRuns: 20_000 },
  );
  assert.ok(decodedCount > 0, "Some random bodies must be commands");
});

test("numbers out of a field's range fail an assertion and are never wrapped", () => {
  const wrong: readonly Partial<PlaceOrder>[] = [
    { source: 65_536 },
    { correlation: 2 ** 32 },
    { correlation: -1 },
    { atUs: 0.5 },
    { deadlineUs: Number.POSITIVE_INFINITY },
    { account: Number.NaN },
    { price: 2 ** 53 },
    { qty: 1.5 },
    { market: -1 },
    { clientId: "€" },
  ];
  for (const change of wrong) {
    const command = { ...sampleOrder, ...change };
    assert.throws(() => encodeCommand(views, 0, command), AssertionFailure, JSON.stringify(change));
  }
  assert.throws(() => commandBytes({ ...sampleOrder, clientId: "x".repeat(37) }), AssertionFailure);
});

test("unknown kinds and corrupt client id lengths fail an assertion", () => {
  const unknown = { ...sampleOrder, kind: 200 } as unknown as Command;
  assert.throws(() => encodeCommand(views, 0, unknown), AssertionFailure);
  const bytes = encodeCommand(views, 0, sampleOrder);
  views.u8[1] = 37;
  assert.throws(() => decodeCommand(views, 0, bytes), AssertionFailure);
});

test("a client id on a kind without one fails an assertion", () => {
  const { source, correlation, atUs, deadlineUs, account } = sampleOrder;
  const header = { source, correlation, atUs, deadlineUs, account };
  const bytes = encodeCommand(views, 0, { kind: CommandKind.barrier, ...header });
  views.u8[1] = 8;
  assert.throws(() => decodeCommand(views, 0, bytes + 8), AssertionFailure);
});
