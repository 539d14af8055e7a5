// Attacks that are known to the trade, as plans to begin a search from. Each profits where nothing stands
// against it: on an index that is the plain middle of a small book.

import type { AttackPlan, Play, PlayKind, Purses, Scene } from "./attack-plan.ts";

/** A quiet venue with its makers there, and some third parties. */
export const quietScene: Scene = {
  seed: 7,
  seconds: 40,
  spotDepth: 1,
  perpDepth: 1,
  purse: 3,
  latency: 6,
  spotFrom: 0,
  spotUntil: 150,
  perpFrom: 0,
  perpUntil: 150,
  traders: 4,
  traderNotional: 20_000,
  traderLeverage: 20,
  fundingAt: 0,
  minutesBefore: 3,
  drift: 0,
  driftSeconds: 0,
};

const purses: Purses = {
  cash: 0.5,
  coins: 0.1,
  victims: 0.2,
  winners: 0.3,
  painters: 0.05,
  hunter: 0,
};

function play(kind: PlayKind, more: Partial<Play> = {}): Play {
  return {
    kind,
    coin: 0,
    book: "perp",
    from: 0,
    until: 60,
    quarters: 15,
    side: 1,
    anchor: "fair",
    bps: 0,
    rate: 0,
    spread: 10,
    share: 1,
    leverage: 10,
    group: "winners",
    sweeps: false,
    ...more,
  };
}

function plan(
  scene: Partial<Scene>,
  capital: number,
  own: Partial<Purses>,
  plays: readonly Play[],
): AttackPlan {
  const whole = { ...quietScene, ...scene };
  return { scene: whole, capital, accounts: 1, purses: { ...purses, ...own }, plays };
}

/** A covered short whose collapse the fund pays: the index is pushed by half and the fund buys back above it. */
function drain(coin: number, side: 1 | -1): AttackPlan {
  const [push, serve] = side > 0 ? [5000, 195] : [-3000, -195];
  return plan({}, 400_000, { cash: side > 0 ? 0.6 : 0.1, coins: side > 0 ? 0.1 : 0.6 }, [
    play("pair", { coin, side, until: 3, leverage: 10 }),
    play("pin", { coin, book: "spot", from: 4, until: 40, bps: push, sweeps: true }),
    play("pin", { coin, from: 4, until: 40, bps: push, sweeps: true, share: 0.5 }),
    play("paint", { coin, from: 4, until: 40, bps: push, share: 0.01 }),
    play("serve", { coin, side, from: 5, until: 45, anchor: "mark", bps: serve }),
    play("withdraw", { from: 6, until: 60 }),
  ]);
}

/** The index is held around the sampling alone, and orders are gone before anybody can take them. */
function spoof(coin: number): AttackPlan {
  const sampled = { coin, book: "spot", quarters: 8, sweeps: true } as const;
  return plan({ latency: 3 }, 300_000, {}, [
    play("pair", { coin, until: 3 }),
    play("pin", { ...sampled, from: 4, until: 40, bps: 3000 }),
    play("paint", { coin, quarters: 8, from: 4, until: 40, bps: 3000, share: 0.01 }),
    play("serve", { coin, from: 5, until: 45, anchor: "mark", bps: 190 }),
  ]);
}

/** Longs of others are liquidated by a pushed index, and bought cheaply. */
function hunt(coin: number): AttackPlan {
  return plan(
    { traders: 8, traderNotional: 60_000, traderLeverage: 30 },
    500_000,
    { cash: 0.1, coins: 0.5, victims: 0, winners: 0, hunter: 0.4 },
    [
      play("pin", { coin, book: "spot", from: 2, until: 30, bps: -1500, sweeps: true }),
      play("pin", { coin, from: 2, until: 30, bps: -1500, sweeps: true, share: 0.5 }),
      play("serve", { coin, group: "hunter", from: 3, until: 30, anchor: "mark", bps: -150 }),
    ],
  );
}

/** Nobody quotes: the attacker is the market. */
function emptyBook(coin: number): AttackPlan {
  const gone = { spotFrom: 150, perpFrom: 150, traders: 0 };
  return plan(gone, 200_000, {}, [
    play("pin", { coin, book: "spot", until: 10, share: 0.2 }),
    play("pair", { coin, from: 4, until: 8, leverage: 20 }),
    play("pin", { coin, book: "spot", from: 10, until: 60, rate: 100, share: 0.5 }),
    play("pin", { coin, from: 10, until: 60, rate: 100, share: 0.5 }),
    play("serve", { coin, from: 12, until: 60, anchor: "mark", bps: 190 }),
    play("withdraw", { from: 12, until: 60 }),
  ]);
}

/** The makers' orders are bought away, and the pushed price drifts slowly, as a cap lets it. */
function creep(coin: number): AttackPlan {
  return plan({ seconds: 80, purse: 1 }, 800_000, {}, [
    play("pair", { coin, until: 3, leverage: 20 }),
    play("pin", { coin, book: "spot", from: 4, until: 90, rate: 20, sweeps: true, spread: 1 }),
    play("pin", { coin, from: 4, until: 90, rate: 20, sweeps: true, spread: 1, share: 0.5 }),
    play("paint", { coin, from: 4, until: 90, rate: 20, share: 0.01 }),
    play("serve", { coin, from: 5, until: 95, anchor: "mark", bps: 190 }),
  ]);
}

/** The fund closes what it took within its band: the asks below it are his. */
function band(coin: number): AttackPlan {
  return plan(
    { perpDepth: 0.5, purse: 1, latency: 8 },
    300_000,
    { cash: 0, coins: 0, victims: 0.3, winners: 0.5, painters: 0.2 },
    [
      play("pair", { coin, until: 3, leverage: 100 }),
      play("pin", { coin, from: 3, until: 60, bps: 100, sweeps: true, leverage: 20 }),
      play("paint", { coin, from: 4, until: 60, bps: 100, share: 0.001 }),
      play("serve", { coin, from: 4, until: 60, anchor: "mark", bps: 195 }),
      play("withdraw", { from: 6, until: 90 }),
    ],
  );
}

/** Positions are opened between his own accounts at a mark that is off, and the mark comes back. */
function edge(coin: number): AttackPlan {
  return plan(
    { perpUntil: 5, traders: 0 },
    100_000,
    { cash: 0, coins: 0, victims: 0.3, winners: 0.3, painters: 0.4 },
    [
      play("pin", { coin, from: 6, until: 30, rate: -20, bps: -200, spread: 5 }),
      play("paint", { coin, from: 6, until: 30, bps: -200, rate: -20, share: 0.01 }),
      play("pair", { coin, from: 26, until: 30, anchor: "mark", leverage: 100 }),
      play("withdraw", { from: 29, until: 90 }),
    ],
  );
}

/** The depth is taken away while his position becomes worthless, so that nothing liquidates it. */
function freeze(coin: number): AttackPlan {
  return plan(
    { purse: 1, drift: 20, driftSeconds: 30, traderLeverage: 3 },
    600_000,
    { victims: 0.3, winners: 0.3, cash: 0.3, coins: 0.3 },
    [
      play("pair", { coin, until: 2, leverage: 50 }),
      play("pin", { coin, book: "spot", from: 1, until: 60, sweeps: true, share: 1, spread: 800 }),
      play("withdraw", { from: 5, until: 90 }),
    ],
  );
}

/** The mark stands beside the index while premiums are sampled and funding is settled. */
function boundary(coin: number): AttackPlan {
  return plan(
    { fundingAt: 50, seconds: 55, minutesBefore: 1, traders: 8, traderNotional: 100_000 },
    600_000,
    { cash: 0, coins: 0, victims: 0, winners: 0, painters: 0.4, hunter: 0.6 },
    [
      play("take", { coin, group: "hunter", side: -1, until: 40, bps: -20, leverage: 10 }),
      play("pin", { coin, from: 2, until: 52, bps: 80, sweeps: true }),
      play("paint", { coin, from: 2, until: 52, bps: 80, share: 0.01 }),
    ],
  );
}

/** Everything that is known, on the coin with the fine tick and on the one with the coarse. */
export const knownAttacks: ReadonlyMap<string, AttackPlan> = new Map(
  [0, 1].flatMap((coin) =>
    Object.entries({
      "drain up": drain(coin, 1),
      "drain down": drain(coin, -1),
      spoof: spoof(coin),
      hunt: hunt(coin),
      "empty book": emptyBook(coin),
      creep: creep(coin),
      band: band(coin),
      edge: edge(coin),
      freeze: freeze(coin),
      boundary: boundary(coin),
    }).map(([name, found]) => [`${name} ${coin === 0 ? "BTC" : "CC"}`, found] as const),
  ),
);
