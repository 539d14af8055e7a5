// Resolves untrusted host names only to addresses to which connections are allowed. Every connection makes this check,
// so a name that resolves to another address the second time is caught too.

import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

/** Returns a lookup function for connections. It fails if `mayReach` is false for one of the addresses. */
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

/**
 * Returns the reason why connections to a URL are not allowed, if its host is a literal address. Returns null if they
 * are allowed, or if the host is a name.
 */
export function literalFault(
  { hostname }: URL,
  mayReach: (address: string) => boolean,
): string | null {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) !== 0 && !mayReach(host) ? `${host} is not a public address` : null;
}
