// Generates damaged versions of a valid JSON document. A damaged value has another type, is missing or out of range,
// is named like a property that every object has, or is nested too deep.

import fc from "fast-check";

/** Nesting too deep for a recursive reader, but shallow enough that JSON.stringify can write the text. */
const deep = 3_000;

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Replacement values. A function creates a value that is too large to keep in this list. */
const hostile: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 63),
  1e308,
  "",
  " ",
  "0",
  "-1",
  "1e9",
  "NaN",
  "constructor",
  "__proto__",
  "toString",
  "\u001b[2J\u001b[H",
  "\n\r\u0000",
  "\ud800",
  "9".repeat(400),
  "x".repeat(5_000),
  [],
  {},
  [[]],
  [null],
  [1, "a", {}],
  { length: 3 },
  { constructor: 1, toString: 2 },
  [{ toString: 1 }],
  () => nested(deep),
];

interface Edit {
  readonly at: number;
  readonly how: "replace" | "remove" | "double" | "rename";
  readonly value: unknown;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(2 ** 16),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "double", "rename"),
  value: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...hostile) }, fc.jsonValue()),
});

type Holder = Record<string, unknown> | unknown[];

/** Returns where each value of a nested object is: its holder and its key. */
function places(holder: Holder): { readonly holder: Holder; readonly key: string }[] {
  return Object.entries(holder).flatMap(([key, value]) => {
    const own = { holder, key };
    return typeof value === "object" && value !== null ? [own, ...places(value as Holder)] : [own];
  });
}

function change(root: Holder, { at, how, value }: Edit): void {
  const all = places(root);
  const place = all[at % all.length];
  if (place === undefined) return;
  const { holder, key } = place;
  const old = Reflect.get(holder, key);
  if (how === "replace")
    Reflect.set(holder, key, typeof value === "function" ? value() : structuredClone(value));
  else if (how === "double") Reflect.set(holder, key, [old, old]);
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else {
    Reflect.deleteProperty(holder, key);
    if (how === "rename") Reflect.set(holder, `${key} `, old);
  }
}

/** Generates copies of `sound` with one to three edits. */
export function spoiltJson(sound: unknown): fc.Arbitrary<unknown> {
  // Apply at most one edit that nests very deep, and apply it last: collecting positions afterwards would overflow
  // the stack.
  const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
  return edits.map((changes) => {
    const root = { value: structuredClone(sound) };
    const isDeep = ({ value }: Edit) => typeof value === "function";
    const ordered = [
      ...changes.filter((one) => !isDeep(one)),
      ...changes.filter(isDeep).slice(0, 1),
    ];
    for (const one of ordered) change(root, one);
    return root.value;
  });
}
