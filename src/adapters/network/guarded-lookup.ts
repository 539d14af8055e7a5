// Resolves untrusted host names only to addresses that may be connected to. The check is made when
// connecting, so that a name that resolves differently the second time is caught too.

import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

/** A lookup for connections; fails if one of the addresses may not be reached. */
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

/** Why a URL with a literal address may not be connected to; null if it may, or if it has a name. */
export function literalFault(
  { hostname }: URL,
  mayReach: (address: string) => boolean,
): string | null {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) !== 0 && !mayReach(host) ? `${host} is not a public address` : null;
}
