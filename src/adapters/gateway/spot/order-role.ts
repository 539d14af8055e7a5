// How an order comes to the spot surface: by itself, or as one of a list.

export interface OrderRole {
  /** The name under which the client sent a parameter of the order; an order of a list has names of its own. */
  readonly nameOf: (name: string) => string;
  readonly isListed: boolean;
  /** It waits for the working order of its list. */
  readonly isPending: boolean;
}
