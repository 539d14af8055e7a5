// The fields of a message or of one entry of a group, and what can be wrong with them.

/** What is wrong with a message, as a Reject says it. */
export interface FieldFault {
  readonly reason: number;
  /** 0 if no single tag is at fault. */
  readonly tag: number;
  readonly text: string;
  /** ErrorCode (25016), as Binance has it for such a fault. */
  readonly code: number;
}

/** The fields of a message, or of one entry of a repeating group. */
export class FieldSet {
  readonly #fields = new Map<number, string>();
  readonly #groups = new Map<number, FieldSet[]>();

  get(tag: number): string | undefined {
    return this.#fields.get(tag);
  }

  /** Tags and values in the order of the message, without those of groups. */
  get fields(): ReadonlyMap<number, string> {
    return this.#fields;
  }

  /** The entries of the group that the field `countTag` begins; none if there is no such field. */
  group(countTag: number): readonly FieldSet[] {
    return this.#groups.get(countTag) ?? [];
  }

  keep(tag: number, value: string): void {
    this.#fields.set(tag, value);
  }

  begin(countTag: number): FieldSet[] {
    const entries: FieldSet[] = [];
    this.#groups.set(countTag, entries);
    return entries;
  }
}
