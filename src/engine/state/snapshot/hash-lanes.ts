// Accumulates numbers, texts and bigints into 64 bits held as two 32-bit lanes.

/** How a value is hashed: a 32-bit word, a safe integer, an int64, a boolean, one-byte characters. */
export type Counted = "word" | "number" | "amount" | "flag" | "text";

export class HashLanes {
  #first = 0x811c9dc5;
  #second = 0x9e3779b9;

  word(value: number): void {
    this.#first = Math.imul(this.#first ^ value, 0x01000193);
    this.#second = Math.imul((this.#second << 5) ^ (this.#second >>> 27) ^ value, 0x85ebca6b);
  }

  /** A safe integer, sign included. */
  number(value: number): void {
    this.word(value | 0);
    this.word(Math.floor(value / 4_294_967_296) | 0);
  }

  /** An int64; most are safe integers, which split into halves much faster as numbers. */
  amount(value: bigint): void {
    const near = Number(value);
    if (Number.isSafeInteger(near)) {
      this.number(near);
      return;
    }
    this.word(Number(BigInt.asIntN(32, value)));
    this.word(Number(BigInt.asIntN(32, value >> 32n)));
  }

  text(value: string): void {
    this.word(value.length);
    for (let at = 0; at < value.length; at++) this.word(value.charCodeAt(at));
  }

  /** A value of the kind `how`. */
  count(how: Counted, value: unknown): void {
    switch (how) {
      case "word":
        this.word(value as number);
        break;
      case "number":
        this.number(value as number);
        break;
      case "amount":
        this.amount(value as bigint);
        break;
      case "flag":
        this.number(value === true ? 1 : 0);
        break;
      case "text":
        this.text(value as string);
        break;
    }
  }

  /** 16 hexadecimal digits. */
  digest(): string {
    const hex = (lane: number) => (lane >>> 0).toString(16).padStart(8, "0");
    return hex(this.#first ^ (this.#second >>> 15)) + hex(this.#second ^ (this.#first >>> 13));
  }
}
