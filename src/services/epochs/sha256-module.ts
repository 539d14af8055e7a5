// SHA-256 of four messages at once as a WebAssembly module: one message per 32-bit lane. Written here instruction by
// instruction, because a compiled file in the repository could not be reviewed.
//
//   compress(from, blocks, to)   adds one block per lane, at `blocks`, to the state at `from`; result at `to`
//   digests(state, out)          writes the four digests of a state
//
// A state is eight words of four lanes each: 128 bytes. Blocks and digests of lane l are at +128 l.

/** The round constants of FIPS 180-4, 4.2.2. They are stored in the module's memory from byte 0. */
export const roundConstants = Uint32Array.from(
  primes(64).map((prime) => fractionBits(Math.cbrt(prime))),
);
/** The initial hash value of FIPS 180-4, 5.3.3. */
export const initialHash = Uint32Array.from(
  primes(8).map((prime) => fractionBits(Math.sqrt(prime))),
);
export const laneBytes = 128;
export const lanes = 4;

function primes(count: number): number[] {
  const found: number[] = [];
  for (let one = 2; found.length < count; one++) {
    if (found.every((prime) => one % prime !== 0)) found.push(one);
  }
  return found;
}

/** The first 32 bits of the fractional part. */
function fractionBits(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32);
}

const op = {
  end: 0x0b,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i32Const: 0x41,
  simd: 0xfd,
  load: 0x00,
  load32Splat: 0x09,
  store: 0x0b,
  shuffle: 0x0d,
  or: 0x50,
  xor: 0x51,
  bitselect: 0x52,
  shiftLeft: 0xab,
  shiftRight: 0xad,
  add: 0xae,
} as const;
const type = { i32: 0x7f, v128: 0x7b, function: 0x60 } as const;

/** An unsigned number in LEB128. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

/**
 * Code is built from nested pieces and flattened once at the end, because copying the pieces repeatedly takes 30 ms.
 */
type Code = readonly (number | Code)[];

const all = (...codes: readonly Code[]): Code => codes;

function bytesOf(code: Code, bytes: number[] = []): number[] {
  for (const piece of code) {
    if (typeof piece === "number") bytes.push(piece);
    else bytesOf(piece, bytes);
  }
  return bytes;
}

const get = (local: number): Code => [op.localGet, local];
const set = (local: number): Code => [op.localSet, local];
const simd = (code: number): Code => [op.simd, leb(code)];
const add = simd(op.add);
const xor = simd(op.xor);
const or = simd(op.or);
const select = simd(op.bitselect);
/** Loads and stores declare an alignment of one byte, so that any address is valid. */
const load = (base: number, offset: number): Code =>
  all(get(base), simd(op.load), [0], leb(offset));
const store = (offset: number): Code => all(simd(op.store), [0], leb(offset));
const shift = (local: number, code: number, by: number): Code =>
  all(get(local), [op.i32Const, by], simd(code));
const rotated = (local: number, by: number): Code =>
  all(shift(local, op.shiftRight, by), shift(local, op.shiftLeft, 32 - by), or);

/** Interleaves two words of vectors x and y, from word `first` on, as x0 y0 x1 y1; reverses each word's bytes. */
function turned(first: number): Code {
  const bytes: number[] = [];
  for (const word of [first, first + 1]) {
    for (const vector of [0, 16]) {
      for (let byte = 3; byte >= 0; byte--) bytes.push(vector + word * 4 + byte);
    }
  }
  return all(simd(op.shuffle), bytes);
}

/** Joins the lower halves of two vectors, or their upper halves, into one vector. */
function halves(isUpper: boolean): Code {
  const from = isUpper ? 8 : 0;
  const indexes = [0, 1, 2, 3, 4, 5, 6, 7];
  return all(
    simd(op.shuffle),
    [0, 16].flatMap((vector) => indexes.map((at) => vector + from + at)),
  );
}

/**
 * Transposes the four vectors in the locals from `at` and reverses each word's bytes; overwrites four locals from
 * `free`.
 */
function transposed(at: number, free: number): Code {
  const pair = (left: number, first: number, into: number): Code =>
    all(get(left), get(left + 1), turned(first), set(into));
  const join = (left: number, isUpper: boolean, into: number): Code =>
    all(get(left), get(left + 2), halves(isUpper), set(into));
  return all(
    pair(at, 0, free),
    pair(at, 2, free + 1),
    pair(at + 2, 0, free + 2),
    pair(at + 2, 2, free + 3),
    join(free, false, at),
    join(free, true, at + 1),
    join(free + 1, false, at + 2),
    join(free + 1, true, at + 3),
  );
}

const from = 0;
const blocks = 1;
const into = 2;
/** Locals: eight of the state, sixteen of the schedule, four temporary. */
const state = 3;
const schedule = 11;
const free = 27;

function compressCode(): Code {
  const codes: Code[] = [];
  for (let word = 0; word < 8; word++) codes.push(load(from, word * 16), set(state + word));
  for (let group = 0; group < 4; group++) {
    const first = schedule + group * 4;
    for (let lane = 0; lane < lanes; lane++) {
      codes.push(load(blocks, lane * laneBytes + group * 16), set(first + lane));
    }
    codes.push(transposed(first, free));
  }
  for (let round = 0; round < 64; round++) codes.push(roundCode(round));
  for (let word = 0; word < 8; word++) {
    codes.push(get(into), load(from, word * 16), get(state + word), add, store(word * 16));
  }
  return codes;
}

/** A round of FIPS 180-4, 6.2.2. Instead of moving values, each round shifts the letters by one local. */
function roundCode(round: number): Code {
  const letter = (index: number): number => state + ((index - round) & 7);
  const [a, b, c, d] = [letter(0), letter(1), letter(2), letter(3)];
  const [e, f, g, h] = [letter(4), letter(5), letter(6), letter(7)];
  const word = schedule + (round & 15);
  const constant = all([op.i32Const, 0], simd(op.load32Splat), [0], leb(round * 4));
  return all(
    round < 16 ? [] : scheduleCode(round),
    all(get(h), get(word), add, constant, add),
    all(rotated(e, 6), rotated(e, 11), xor, rotated(e, 25), xor, add),
    // Choose: takes the bits of f where e is set, else those of g.
    all(get(f), get(g), get(e), select, add, [op.localTee, free]),
    all(get(d), add, set(d)),
    all(rotated(a, 2), rotated(a, 13), xor, rotated(a, 22), xor),
    // Majority: takes the bits of c where a and b differ, else those of b.
    all(get(c), get(b), get(a), get(b), xor, select, add),
    all(get(free), add, set(h)),
  );
}

/** Computes the schedule word of a round, which replaces the word of the round sixteen earlier. */
function scheduleCode(round: number): Code {
  const word = (back: number): number => schedule + ((round - back) & 15);
  const [last, early] = [word(2), word(15)];
  return all(
    all(get(word(16)), get(word(7)), add),
    all(rotated(early, 7), rotated(early, 18), xor, shift(early, op.shiftRight, 3), xor, add),
    all(rotated(last, 17), rotated(last, 19), xor, shift(last, op.shiftRight, 10), xor, add),
    set(word(0)),
  );
}

function digestsCode(): Code {
  const codes: Code[] = [];
  // The locals start one lower than those of `compress`, because this function has one parameter less.
  const [words, spare] = [2, 6];
  for (let half = 0; half < 2; half++) {
    for (let word = 0; word < 4; word++) {
      codes.push(load(0, (half * 4 + word) * 16), set(words + word));
    }
    codes.push(transposed(words, spare));
    for (let lane = 0; lane < lanes; lane++) {
      codes.push(get(1), get(words + lane), store(lane * laneBytes + half * 16));
    }
  }
  return codes;
}

function section(id: number, items: readonly Code[]): Code {
  const body = bytesOf([leb(items.length), items]);
  return [id, leb(body.length), body];
}

function body(vectors: number, code: Code): Code {
  const bytes = bytesOf([1, vectors, type.v128, code, op.end]);
  return [leb(bytes.length), bytes];
}

const nameBytes = (name: string): Code => [name.length, ...new TextEncoder().encode(name)];

/** The module's bytes: one page of memory and the two functions. */
export function sha256Module(): Uint8Array {
  const { i32 } = type;
  const [ofFunction, ofMemory] = [0, 2];
  const signatures = [
    [type.function, 3, i32, i32, i32, 0],
    [type.function, 2, i32, i32, 0],
  ];
  const names = [
    all(nameBytes("memory"), [ofMemory, 0]),
    all(nameBytes("compress"), [ofFunction, 0]),
    all(nameBytes("digests"), [ofFunction, 1]),
  ];
  const codes = [body(28, compressCode()), body(8, digestsCode())];
  const sections = [
    section(1, signatures),
    section(3, [[0], [1]]),
    section(5, [[0, 1]]),
    section(7, names),
    section(10, codes),
  ];
  return Uint8Array.from(bytesOf([[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], sections]));
}
