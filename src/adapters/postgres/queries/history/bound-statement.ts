// Builds an SQL statement with bound values, numbered in the order in which the text uses them.

/** A statement's text with its values in the order of their placeholders. */
export interface BoundStatement {
  readonly text: string;
  readonly values: readonly (number | string)[];
}

/** Collects values and returns a placeholder for each. */
export class Values {
  readonly bound: (number | string)[] = [];

  bind(value: number | string): string {
    return `$${this.bound.push(value)}`;
  }
}
