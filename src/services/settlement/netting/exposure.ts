// What is at stake in a batch, in the one asset that its limits are in, whatever its markets are quoted in.

/** What a fill says an asset is worth: so many minor units of one for so many of the other. */
interface PricedPair {
  readonly base: number;
  readonly quote: number;
  readonly baseAmount: bigint;
  readonly quoteAmount: bigint;
}

/** One payment, in minor units of its asset. */
interface Payment {
  readonly asset: number;
  readonly amount: bigint;
}

/**
 * The payments at the prices of `fills`, the last of each market, in minor units of `unit`; each rounded down. An
 * asset that was not traded against `unit`, either way round, is valued through one that was; null where one
 * was not. It only decides how soon a batch is sealed.
 */
export function exposureOf(
  legs: readonly Payment[],
  fills: readonly PricedPair[],
  unit: number,
): bigint | null {
  let sum = 0n;
  for (const { asset, amount } of legs) {
    const worth = worthOf(asset, amount, fills, unit, 2);
    if (worth === null) return null;
    sum += worth;
  }
  return sum;
}

function worthOf(
  asset: number,
  amount: bigint,
  fills: readonly PricedPair[],
  unit: number,
  steps: number,
): bigint | null {
  if (asset === unit) return amount;
  if (steps === 0) return null;
  const prices = fills.flatMap((fill) => exchanged(asset, amount, fill));
  // A price in the unit itself before one that goes round.
  prices.sort((one, other) => Number(other.asset === unit) - Number(one.asset === unit));
  for (const price of prices) {
    const worth = worthOf(price.asset, price.amount, fills, unit, steps - 1);
    if (worth !== null) return worth;
  }
  return null;
}

/** What the fill gives for so much of the asset; nothing where it is of others. */
function exchanged(
  asset: number,
  amount: bigint,
  { base, quote, baseAmount, quoteAmount }: PricedPair,
): { asset: number; amount: bigint }[] {
  if (asset === base) return [{ asset: quote, amount: (amount * quoteAmount) / baseAmount }];
  const isPriced = asset === quote && quoteAmount > 0n;
  return isPriced ? [{ asset: base, amount: (amount * baseAmount) / quoteAmount }] : [];
}
