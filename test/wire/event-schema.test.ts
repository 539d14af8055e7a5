// Proves that outside readers can decode the journal with event.fbs. The test computes offsets by FlatBuffers' rules
// for structs and reads values with the FlatBuffers library; it does not use the codec's own layouts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { ByteBuffer } from "flatbuffers";
import { events } from "../../schemas/records/tables.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { eventBytesMax } from "../../src/core/limits.ts";
import { encodeEvent, eventBytes } from "../../src/wire/generated/event-codec.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { eventOfEachKind } from "./record-arbitraries.ts";

type Value = number | bigint | boolean;

interface Scalar {
  readonly bytes: number;
  readonly read: (memory: ByteBuffer, offset: number) => Value;
}

const scalars: Readonly<Record<string, Scalar>> = {
  ubyte: { bytes: 1, read: (memory, offset) => memory.readUint8(offset) },
  bool: { bytes: 1, read: (memory, offset) => memory.readInt8(offset) === 1 },
  ushort: { bytes: 2, read: (memory, offset) => memory.readUint16(offset) },
  uint: { bytes: 4, read: (memory, offset) => memory.readUint32(offset) },
  ulong: { bytes: 8, read: (memory, offset) => memory.readUint64(offset) },
  long: { bytes: 8, read: (memory, offset) => memory.readInt64(offset) },
};

interface Place {
  readonly name: string;
  readonly scalar: Scalar;
  readonly offset: number;
}

interface Struct {
  readonly places: readonly Place[];
  readonly bytes: number;
}

function camel(name: string): string {
  const message = name.replace(/_./g, (two) => two.slice(1).toUpperCase());
  // In the schema, a name that is a reserved word in some language has the name of its type appended.
  return message.replace(/^(from|to)(Wallet|SwapState)$/, "$1");
}

/** Returns the library's scalar types and the schema's enumerations, each a byte. */
function scalarsOf(schema: string): Readonly<Record<string, Scalar | undefined>> {
  const names = [...schema.matchAll(/^enum (\w+): ubyte /gm)].map(([, name = ""]) => name);
  return { ...scalars, ...Object.fromEntries(names.map((name) => [name, scalars["ubyte"]])) };
}

/** Returns every struct of the schema with the offsets of its scalars, including those of nested structs. */
function structsOf(schema: string): ReadonlyMap<string, Struct> {
  const structs = new Map<string, Struct>();
  const known = scalarsOf(schema);
  for (const [, name = "", body = ""] of schema.matchAll(/^struct (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const places: Place[] = [];
    let [end, widest] = [0, 1];
    for (const [, field = "", type = ""] of body.matchAll(/^ {2}(\w+): (\w+);$/gm)) {
      const within = structs.get(type);
      const scalar = known[type];
      const align = within === undefined ? (scalar?.bytes ?? 0) : 8;
      assert.ok(align > 0, `${name}.${field} must have a known type`);
      const offset = Math.ceil(end / align) * align;
      if (scalar !== undefined) places.push({ name: camel(field), scalar, offset });
      for (const place of within?.places ?? []) {
        places.push({ ...place, offset: offset + place.offset });
      }
      end = offset + (within?.bytes ?? scalar?.bytes ?? 0);
      widest = Math.max(widest, align);
    }
    structs.set(name, { places, bytes: Math.ceil(end / widest) * widest });
  }
  return structs;
}

const schema = readFileSync(join(projectRoot, "schemas/journal/generated/event.fbs"), "utf8");
const structs = structsOf(schema);

const headerBytes = structs.get("EventHeader")?.bytes ?? 0;

/** Returns the flags byte of an accepted order. */
function orderFlags(event: VenueEvent): number {
  const reduces = "isReduceOnly" in event && event.isReduceOnly;
  const closes = "closesPosition" in event && event.closesPosition;
  return (reduces ? 1 : 0) + (closes ? 2 : 0);
}

/** Returns the event's value of a scalar in its struct. */
function saidAt(event: VenueEvent, { name, offset }: Place): unknown {
  const derived: Readonly<Record<string, number>> = {
    bytes: eventBytes(event),
    ...(name.endsWith("Length") ? { [name]: textLength(event) } : {}),
    flags: offset < headerBytes ? Number(event.isTransactionEnd) : orderFlags(event),
  };
  const own = event as unknown as Readonly<Record<string, unknown>>;
  return offset >= headerBytes && name in own ? own[name] : (derived[name] ?? own[name]);
}

/** Names of text and flag fields, which the schema stores under other names. */
const hidden = new Set(
  Object.values(events).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, { wire }]) =>
      wire === "text" || wire === "bit" ? [name] : [],
    ),
  ),
).add("isTransactionEnd");

/** Returns how many characters follow the struct. */
function textLength(event: VenueEvent): number {
  const values: readonly unknown[] = Object.values(event);
  return values.reduce<number>((sum, of) => sum + (typeof of === "string" ? of.length : 0), 0);
}

function holds({ places, bytes }: Struct, event: VenueEvent): void {
  const views = createRecordViews(new ArrayBuffer(eventBytesMax));
  views.u8.fill(0xee);
  const length = encodeEvent(views, 0, event);
  assert.equal(length, bytes + textLength(event));
  const memory = new ByteBuffer(views.u8.slice(0, bytes));
  const fillers = views.u8.slice(0, bytes);
  for (const place of places) {
    const value = place.scalar.read(memory, place.offset);
    const said = saidAt(event, place);
    assert.equal(typeof said === "number" ? BigInt(said) : said, wide(value), place.name);
    fillers.fill(0, place.offset, place.offset + place.scalar.bytes);
  }
  assert.ok(
    fillers.every((byte) => byte === 0),
    "Bytes outside all fields must be zero",
  );
  const names = new Set(places.map(({ name }) => name));
  const unseen = Object.keys(event).filter((name) => !names.has(name) && !hidden.has(name));
  assert.deepEqual(unseen, []);
}

/** Converts integers of all widths to bigint. */
function wide(value: Value): bigint | boolean {
  return typeof value === "number" ? BigInt(value) : value;
}

for (const one of eventOfEachKind) {
  const kind = fc.sample(one, 1)[0]?.kind;
  const [name = ""] = Object.entries(EventKind).find(([, code]) => code === kind) ?? [];
  test(`${name} has the bytes that its struct in event.fbs defines`, () => {
    const struct = structs.get(name.slice(0, 1).toUpperCase() + name.slice(1));
    assert.ok(struct !== undefined, "The event must have a struct");
    fc.assert(fc.property(one, (event) => holds(struct, event)));
  });
}

test("every struct except the header belongs to a kind of event", () => {
  assert.equal(structs.size, Object.keys(EventKind).length + 1);
});
