// Arguments and options that take one of some names. Help and completion list them; capital and small letters are the
// same.

import { type Argument, InvalidArgumentError, type Option } from "commander";

/** Lets `taken` have only these values, and returns it. */
export function oneOf<Taken extends Argument | Option>(
  taken: Taken,
  names: readonly string[],
): Taken {
  taken.choices(names);
  // The library's own check, which this replaces, knows only the exact names.
  taken.argParser((text: string) => {
    const name = names.find((one) => one.toUpperCase() === text.toUpperCase());
    if (name !== undefined) return name;
    throw new InvalidArgumentError(`Allowed choices are ${names.join(", ")}.`);
  });
  return taken;
}
