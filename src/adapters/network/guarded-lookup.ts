// Names that somebody else chose, resolved only to addresses that may be connected to. The address is
// looked at where the connection is made, so that a name which leads elsewhere the second time is met too.

import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

/** A lookup for connections; an error where one of the addresses may not be reached. */
export function guardedLookup(mayReach: (address: string) => boolean): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const special = addresses?.find(({ address }) => !mayReach(address));
      if (error !== null) done(error, "");
      else if (first === undefined) done(new Error(`${host} has no address`), "");
      else if (special !== undefined)
        done(new Error(`${host} has an address that is not public`), "");
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

/** Why the host of a URL may not be connected to where it is an address, which nobody looks up; else null. */
export function literalFault(
  { hostname }: URL,
  mayReach: (address: string) => boolean,
): string | null {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) !== 0 && !mayReach(host) ? `${host} is no public address` : null;
}
