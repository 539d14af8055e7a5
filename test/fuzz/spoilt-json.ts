// A valid JSON document with invalid values: of another type, missing, out of range, named like properties of
// every object, or nested too deep.

import fc from "fast-check";

/** Deeper than recursion can go there, and shallow enough that the text can still be written. */
const deep = 3_000;

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** The replacement values; a function creates one that is too large to keep. */
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

/** The paths of all values, starting with the document itself. */
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

/** `sound` with one to three values replaced; the rest stays as it was. */
export function spoiltJson(sound: unknown): fc.Arbitrary<unknown> {
  // After an edit that nests very deep, collecting paths would overflow the test's own stack.
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
