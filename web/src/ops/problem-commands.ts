// The commands that an operator runs about a problem.

import { mendOf, type Problem } from "../../../src/ports/venue-problems.ts";

/** Commands in what to do about `one`, complete enough to be copied: one that sets a price is not. */
export function commandsOf(one: Problem): string[] {
  return [...mendOf(one).matchAll(/'(rialto [^']+)'/g)]
    .map(([, command = ""]) => command)
    .filter((command) => !/[A-Z]{5,}$/.test(command) || command.endsWith(one.market ?? " "));
}
