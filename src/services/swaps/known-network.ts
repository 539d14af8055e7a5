// What a wallet knows of a network by other means than the transaction it is asked to sign: from a ledger it
// reads itself, or from what it signed before. It imports nothing, so that pages can keep it too.

export interface KnownNetwork {
  /** The venue's own party, which settles swaps; null before any was seen. */
  readonly operator: string | null;
  /** Who issues an asset, by the asset's code. */
  readonly issuers: Readonly<Record<string, string>>;
  /** The contract by which an issuer locks its coins, by issuer. */
  readonly factories: Readonly<Record<string, string>>;
}

/** Of a wallet that has signed nothing yet. */
export const unknownNetwork: KnownNetwork = { operator: null, issuers: {}, factories: {} };

/** Both together; what was known first stays. */
export function withKnown(known: KnownNetwork, seen: KnownNetwork): KnownNetwork {
  return {
    operator: known.operator ?? seen.operator,
    issuers: { ...seen.issuers, ...known.issuers },
    factories: { ...seen.factories, ...known.factories },
  };
}

/** Both together; null where they name different parties or contracts for the same. */
export function joinedNetwork(one: KnownNetwork, other: KnownNetwork): KnownNetwork | null {
  const [known, turned] = [withKnown(one, other), withKnown(other, one)];
  const isSame =
    known.operator === turned.operator &&
    isSameNames(known.issuers, turned.issuers) &&
    isSameNames(known.factories, turned.factories);
  return isSame ? known : null;
}

/** Of two that have the same keys. */
function isSameNames(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(one).every(([key, name]) => other[key] === name);
}

/** What was kept as JSON; null where the text is nothing of that form. */
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
