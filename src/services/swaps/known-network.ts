// What a wallet knows of a network independently of the transaction it is asked to sign: from reading the
// ledger itself or from what it signed before. No imports, so that pages can use this file too.

export interface KnownNetwork {
  /** The venue's party, which settles swaps; null until one was seen. */
  readonly operator: string | null;
  /** The issuer of an asset, by asset code. */
  readonly issuers: Readonly<Record<string, string>>;
  /** The contract with which an issuer locks coins, by issuer. */
  readonly factories: Readonly<Record<string, string>>;
}

/** What a wallet knows before it has signed anything. */
export const unknownNetwork: KnownNetwork = { operator: null, issuers: {}, factories: {} };

/** Merges both records; if they conflict, the value in `known` is taken. */
export function withKnown(known: KnownNetwork, seen: KnownNetwork): KnownNetwork {
  return {
    operator: known.operator ?? seen.operator,
    issuers: { ...seen.issuers, ...known.issuers },
    factories: { ...seen.factories, ...known.factories },
  };
}

/** Merges both records; null if they conflict. */
export function joinedNetwork(one: KnownNetwork, other: KnownNetwork): KnownNetwork | null {
  const [known, turned] = [withKnown(one, other), withKnown(other, one)];
  const isSame =
    known.operator === turned.operator &&
    isSameNames(known.issuers, turned.issuers) &&
    isSameNames(known.factories, turned.factories);
  return isSame ? known : null;
}

/** True if every key of `one` has the same value in `other`. */
function isSameNames(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(one).every(([key, name]) => other[key] === name);
}

/** Parses stored JSON; null if it does not have this form. */
export function knownNetworkIn(value: unknown): KnownNetwork | null {
  if (typeof value !== "object" || value === null) return null;
  const { operator, issuers, factories } = value as Readonly<Record<string, unknown>>;
  if (operator !== null && typeof operator !== "string") return null;
  return isNames(issuers) && isNames(factories) ? { operator, issuers, factories } : null;
}

function isNames(value: unknown): value is Readonly<Record<string, string>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.values(value).every((each) => typeof each === "string");
}
