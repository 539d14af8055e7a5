// An SQL statement with its bound values, numbered as they are added to the text.

/** A statement with its values in order. */
export interface BoundStatement {
  readonly text: string;
  readonly values: readonly (number | string)[];
}

/** Collects values and returns their placeholders. */
export class Values {
  readonly bound: (number | string)[] = [];

  bind(value: number | string): string {
    return `$${this.bound.push(value)}`;
  }
}
