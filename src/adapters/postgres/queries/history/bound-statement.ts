// A statement of SQL and the values it is run with, numbered as they are put into the text.

/** A statement with its values in the order of their numbers. */
export interface BoundStatement {
  readonly text: string;
  readonly values: readonly (number | string)[];
}

/** Collects values and hands out their numbers. */
export class Values {
  readonly bound: (number | string)[] = [];

  bind(value: number | string): string {
    return `$${this.bound.push(value)}`;
  }
}
