// The commands of a varied run that are not orders: transfers, deposits and withdrawals, keys, sessions, account flags,
// markets, swaps, commission. Most are valid, some are refused.

import type { Draw } from "./drawn-values.ts";
import { anchorOf } from "./run-commands.ts";
import type { Fields, RunModel } from "./run-model.ts";

type Maker = (draw: Draw, model: RunModel) => Fields;

const transfer: Maker = (draw, model) => ({
  kind: 5,
  account: model.account(draw),
  from: draw.below(3),
  to: draw.below(3),
  asset: draw.of([0, 0, 0, 1, 2, 3, 4]),
  amount: BigInt(draw.below(60_000) - 100) * 1_000_000n,
  key: draw.below(3) > 0 ? null : { high: BigInt(draw.below(40)), low: 1n, payload: 0n },
});

const credit: Maker = (draw, model) => ({
  kind: 7,
  account: model.account(draw),
  wallet: draw.below(3),
  asset: draw.below(5),
  amount: BigInt(draw.below(60_000) - 3_000) * 1_000_000n,
  isFromFaucet: draw.below(2) === 0,
});

const openAccount: Maker = (draw) => ({ kind: 6, accountType: draw.of([0, 0, 0, 1, 2]) });

/** Sets account flags: accounts are rarely frozen, and wallet-funded accounts are mostly enrolled. */
const flags: Maker = (draw, model) => {
  const frozen = draw.below(8) === 0 ? 1 : 0;
  const stopped = draw.below(8) === 0 ? 8 : 0;
  const mask = draw.of([15, 15, 14, 9, 4]);
  return {
    kind: 8,
    account: model.account(draw),
    flags: (frozen | stopped | 2 | (draw.below(4) > 0 ? 4 : 0)) & mask,
    mask,
  };
};

const accountType: Maker = (draw, model) => {
  const isIdle = draw.below(2) === 0;
  const account = isIdle ? (model.accounts.at(-1 - draw.below(6)) ?? 1001) : model.account(draw);
  return { kind: 30, account, accountType: isIdle ? 4 : draw.of([0, 0, 2]) };
};

const key: Maker = (draw, model) => {
  const keyId = draw.below(40);
  const [tier, permissions] = [draw.below(3), draw.of([1, 3, 7])];
  if (draw.below(2) === 0)
    return { kind: 10, keyId, tier, permissions, expects: 0, isRevoked: draw.below(6) === 0 };
  return {
    kind: 9,
    account: model.account(draw),
    keyId,
    keyType: draw.below(2),
    tier,
    permissions,
  };
};

const session: Maker = (draw, model) => {
  const known = model.sessions.length === 0 ? undefined : draw.of(model.sessions);
  const account = known?.account ?? model.account(draw);
  const sessionId = known?.sessionId ?? 1;
  const fresh = 1000 + model.seq;
  const way = draw.below(5);
  if (way === 0) return { kind: 17, account, sessionId };
  if (way < 3) return { kind: 18, account, sessionId, keyId: fresh };
  const expiresUs = model.nowUs + draw.below(30_000) * 1000;
  return { kind: 16, account: model.account(draw), sessionId: fresh, expiresUs };
};

/** Sets the status of a market, mostly to trading; now and then adds a market. */
const market: Maker = (draw) => {
  if (draw.below(6) === 0) {
    const [termsHigh, termsLow] = [BigInt(draw.word()), -BigInt(draw.word())];
    return { kind: 31, market: 7 + draw.below(3), status: draw.below(2), termsHigh, termsLow };
  }
  return { kind: 11, market: draw.below(7), status: draw.of([0, 0, 0, 0, 0, 1]) };
};

const riskTerm: Maker = (draw) => ({
  kind: 32,
  market: draw.below(8),
  term: draw.of([5, 8, 9, 12, 13, 14]),
  value: draw.of([0, 1, 30, 1000, 60_000, 2 ** 40]),
});

const custody: Maker = (draw, model) => {
  const account = model.account(draw);
  const asset = draw.below(4);
  const key = { high: BigInt(draw.below(200)), low: 2n, payload: 0n };
  const withdrawalId = model.withdrawals.length === 0 ? 1 : draw.of(model.withdrawals);
  switch (draw.below(7)) {
    case 0:
      return { kind: 24, account: model.accounts.at(-1) ?? account };
    case 1:
      return { kind: 25, account, asset, amount: BigInt(draw.below(90_000)) * 1000n, key };
    case 2:
      return { kind: 27, withdrawalId, isCompleted: draw.below(3) > 0 };
    case 3:
    case 4: {
      const amount = BigInt(1 + draw.below(3_000));
      return { kind: 28, account: model.accounts[2] ?? account, asset: 1 + draw.below(3), amount };
    }
    default: {
      const amount = BigInt(draw.below(50)) * 100_000n;
      const destination = { destinationHigh: 1n, destinationLow: BigInt(draw.word()) };
      const fee = BigInt(draw.below(3)) * 100n;
      const terms = { withdrawalId: 1 + model.seq, asset, amount, fee };
      return { kind: 26, account, ...terms, ...destination, key };
    }
  }
};

/** Makes the next step of a swap, or repeats one. */
const swap: Maker = (draw, model) => {
  const market = draw.of([0, 1, 2]);
  const { price, qty } = anchorOf(model, market);
  return {
    kind: 29,
    account: model.account(draw),
    moveNo: model.swapMoves + (draw.below(4) === 0 ? 0 : 1),
    swapNo: 1 + draw.below(9),
    market,
    side: draw.below(2),
    from: draw.of([0, 1, 2, 3, 4, 5, 6, 7]),
    to: draw.of([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    reason: draw.below(13),
    price,
    lots: qty,
    digestHigh: BigInt(draw.word()),
    digestLow: -1n,
  };
};

const commission: Maker = (draw, model) => {
  const account = model.account(draw);
  if (draw.below(3) > 0) return { kind: 21, account };
  return { kind: 20, account: model.accounts.at(-1) ?? account, referrer: account };
};

const refill: Maker = (draw, model) => ({
  kind: 23,
  account: draw.below(3) > 0 ? (model.accounts[1] ?? 1002) : model.account(draw),
  amount: BigInt(draw.below(9_000) - 100) * 1_000_000n,
});

const funding: Maker = (draw) => ({ kind: draw.of([12, 12, 12, 19]) });

/** Each command, with its frequency per thousand. */
export const accessMakers: readonly (readonly [number, Maker])[] = [
  [16, transfer],
  [14, credit],
  [3, openAccount],
  [6, flags],
  [5, accountType],
  [6, key],
  [8, session],
  [6, market],
  [2, riskTerm],
  [18, custody],
  [8, swap],
  [5, commission],
  [2, refill],
  [1, funding],
];
