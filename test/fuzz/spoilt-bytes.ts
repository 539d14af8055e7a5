// Generates damaged versions of valid bytes, as a disk, a network or an attacker could produce.

import fc from "fast-check";

/** One change to the bytes. Positions count from the start and wrap around at the end. */
type Edit =
  | { readonly how: "set"; readonly at: number; readonly byte: number }
  | { readonly how: "flip"; readonly at: number; readonly bit: number }
  | { readonly how: "cut"; readonly at: number; readonly count: number }
  | { readonly how: "insert"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly how: "repeat"; readonly at: number; readonly count: number }
  | { readonly how: "end"; readonly at: number };

const at = fc.nat(2 ** 20);
const count = fc.integer({ min: 1, max: 24 });
const telling = fc.constantFrom(0, 1, 9, 10, 13, 32, 37, 38, 44, 58, 61, 127, 128, 192, 254, 255);

function one<How extends Edit["how"]>(
  how: How,
  fields: { [Key in Exclude<keyof Extract<Edit, { how: How }>, "how">]: fc.Arbitrary<unknown> },
) {
  return fc.record({ how: fc.constant(how), ...fields }) as unknown as fc.Arbitrary<Edit>;
}

const edit: fc.Arbitrary<Edit> = fc.oneof(
  one("set", { at, byte: fc.oneof(telling, fc.nat(255)) }),
  one("flip", { at, bit: fc.nat(7) }),
  one("cut", { at, count }),
  one("insert", { at, bytes: fc.uint8Array({ minLength: 1, maxLength: 24 }) }),
  one("repeat", { at, count }),
  one("end", { at }),
);

function changed(bytes: Buffer, change: Edit): Buffer {
  const place = bytes.length === 0 ? 0 : change.at % bytes.length;
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  switch (change.how) {
    case "set":
      return Buffer.concat([before, Buffer.of(change.byte), after.subarray(1)]);
    case "flip":
      return Buffer.concat([
        before,
        Buffer.of((after[0] ?? 0) ^ (1 << change.bit)),
        after.subarray(1),
      ]);
    case "cut":
      return Buffer.concat([before, after.subarray(change.count)]);
    case "insert":
      return Buffer.concat([before, change.bytes, after]);
    case "repeat":
      return Buffer.concat([before, after.subarray(0, change.count), after]);
    case "end":
      return before;
  }
}

/** Generates the bytes of `sound` with one to four changes. */
export function spoiltBytes(sound: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Buffer> {
  const edits = fc.array(edit, { minLength: 1, maxLength: 4 });
  return fc
    .tuple(sound, edits)
    .map(([bytes, changes]) => changes.reduce(changed, Buffer.from(bytes)));
}

/** Generates texts whose UTF-8 bytes had one to four changes. */
export function spoiltText(sound: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return spoiltBytes(sound.map((text) => Buffer.from(text, "utf8"))).map((bytes) =>
    bytes.toString("utf8"),
  );
}
