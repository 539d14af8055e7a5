// Known attacks as plans, from which a search starts. Without any change, several of them make a profit on a venue
// without defences, where the index is simply the middle of a small book.

import type { AttackPlan, Play, PlayKind, Purses, Scene } from "./attack-plan.ts";

/** A quiet market with makers and some other traders. */
export const quietScene: Scene = {
  seed: 7,
  seconds: 40,
  spotDepth: 1,
  perpDepth: 1,
  purse: 3,
  reach: 4,
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
  return { scene: whole, capital, accounts: 8, purses: { ...purses, ...own }, plays };
}

/**
 * Drains the fund: his losing account shorts against his winning one, he pushes the index up by half, and the fund buys
 * the liquidated short back above the index. With `side` −1 all directions are reversed, and he pushes it down by 30 %.
 */
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

/** Moves the index only at sampling times: his orders leave the book before others can take them. */
function spoof(coin: number): AttackPlan {
  const sampled = { coin, book: "spot", quarters: 8, sweeps: true } as const;
  return plan({ latency: 3 }, 300_000, {}, [
    play("pair", { coin, until: 3 }),
    play("pin", { ...sampled, from: 4, until: 40, bps: 3000 }),
    play("paint", { coin, quarters: 8, from: 4, until: 40, bps: 3000, share: 0.01 }),
    play("serve", { coin, from: 5, until: 45, anchor: "mark", bps: 190 }),
  ]);
}

/** Pushes the index down to liquidate other traders' longs, and buys their positions cheaply. */
function hunt(coin: number): AttackPlan {
  return plan(
    { seconds: 60, traders: 8, traderNotional: 60_000, traderLeverage: 30 },
    500_000,
    { cash: 0.1, coins: 0.5, victims: 0, winners: 0, hunter: 0.4 },
    [
      play("pin", { coin, book: "spot", from: 2, until: 60, bps: -1500, sweeps: true }),
      play("pin", { coin, from: 2, until: 60, bps: -1500, sweeps: true, share: 0.5 }),
      play("serve", { coin, group: "hunter", from: 3, until: 60, anchor: "mark", bps: -150 }),
    ],
  );
}

/** Sets all prices himself, because nobody else quotes. */
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

/** Opens positions at an absurd price before the first index. His winning account closes against the first makers. */
function beforeIndex(coin: number): AttackPlan {
  return plan(
    { seconds: 40, spotFrom: 15, perpFrom: 15, perpDepth: 2 },
    400_000,
    { cash: 0, coins: 0, victims: 0.5, winners: 0.5 },
    [
      play("pair", { coin, side: -1, from: 2, until: 5, bps: 30_000, leverage: 10 }),
      play("serve", { coin, from: 15, until: 40, bps: 50 }),
      play("withdraw", { from: 15, until: 60 }),
    ],
  );
}

/** Buys up the makers' orders, then pushes the price slowly, so that a cap on its speed does not stop him. */
function creep(coin: number): AttackPlan {
  return plan({ seconds: 80, purse: 1 }, 800_000, {}, [
    play("pair", { coin, until: 3, leverage: 20 }),
    play("pin", { coin, book: "spot", from: 4, until: 90, rate: 20, sweeps: true, spread: 1 }),
    play("pin", { coin, from: 4, until: 90, rate: 20, sweeps: true, spread: 1, share: 0.5 }),
    play("paint", { coin, from: 4, until: 90, rate: 20, share: 0.01 }),
    play("serve", { coin, from: 5, until: 95, anchor: "mark", bps: 190 }),
  ]);
}

/**
 * Sells to the fund at the edge of its band: the fund may close positions only within a band around the mark, and the
 * attacker owns the asks just inside it.
 */
function band(coin: number): AttackPlan {
  return plan(
    { perpDepth: 0.5, purse: 1, latency: 8 },
    300_000,
    { cash: 0, coins: 0, victims: 0.04, winners: 0.06, painters: 0.4 },
    [
      play("pair", { coin, until: 3, leverage: 100 }),
      play("pin", { coin, from: 3, until: 60, bps: 100, sweeps: true, leverage: 20 }),
      play("paint", { coin, from: 4, until: 60, bps: 100, share: 0.001 }),
      play("serve", { coin, from: 4, until: 60, anchor: "mark", bps: 195 }),
      play("withdraw", { from: 6, until: 90 }),
    ],
  );
}

/** Moves the mark to a wrong price and opens positions between his own accounts there; the mark then returns. */
function edge(coin: number): AttackPlan {
  return plan(
    { perpUntil: 5, traders: 0 },
    100_000,
    { cash: 0, coins: 0, victims: 0.1, winners: 0.1, painters: 0.3 },
    [
      play("pin", { coin, from: 6, until: 30, rate: -20, bps: -200, spread: 5 }),
      play("paint", { coin, from: 6, until: 30, bps: -200, rate: -20, share: 0.01 }),
      play("pair", { coin, from: 26, until: 30, anchor: "mark", leverage: 100 }),
      play("withdraw", { from: 29, until: 90 }),
    ],
  );
}

/** Removes the depth while the price moves, so that the venue does not liquidate his worthless position. */
function freeze(coin: number): AttackPlan {
  const taken = { coin, book: "spot", from: 1, until: 120, sweeps: true, share: 1 } as const;
  return plan(
    { seconds: 110, purse: 1, drift: 2, driftSeconds: 100, traderLeverage: 3 },
    600_000,
    { victims: 0.2, winners: 0.2, cash: 0.6, coins: 0 },
    [
      play("pair", { coin, until: 2, leverage: 100 }),
      play("pin", { ...taken, bps: 0, spread: 800 }),
      play("withdraw", { from: 5, until: 90 }),
    ],
  );
}

/** A market whose depth lies far from the middle: buying up the few near orders moves the middle. */
const sparse = { spotDepth: 2, perpDepth: 2, purse: 1, reach: 350, latency: 12 } as const;

/**
 * Moves the middle of a sparse book until the losing account of his pair is liquidated; the fund then buys from his
 * winning account.
 */
function shove(coin: number, side: 1 | -1): AttackPlan {
  const own = { cash: side > 0 ? 0.3 : 0, coins: side > 0 ? 0 : 0.3 };
  const away = { coin, sweeps: true, spread: 1, from: 3, until: 90 } as const;
  return plan(
    { ...sparse, seconds: 70, traders: 0 },
    500_000,
    // A little more than the margin of eight positions of 250,000 USDC at a leverage of 100.
    { ...own, victims: 0.0215, winners: 0.0215, painters: 0.15 },
    [
      play("pair", { coin, side, until: 3, leverage: 100 }),
      play("pin", { ...away, book: "spot", bps: side * 150 }),
      play("pin", { ...away, bps: side * 150, leverage: 20 }),
      play("serve", { coin, side, from: 6, until: 95, anchor: "mark", bps: side * 195 }),
      play("withdraw", { from: 8, until: 90 }),
    ],
  );
}

/** Runs `shove` within a few seconds, before makers or others can react. */
function quickShove(coin: number): AttackPlan {
  const first = shove(coin, 1);
  const spans: Partial<Record<PlayKind, Pick<Play, "from" | "until">>> = {
    pin: { from: 3, until: 9 },
    serve: { from: 4, until: 14 },
  };
  const plays = first.plays.map((own) => ({ ...own, ...spans[own.kind] }));
  return { ...first, scene: { ...first.scene, seconds: 20 }, plays };
}

/** Moves the index for a few seconds only: from second 4 until `until`. */
function burst(coin: number, bps: number, until: number): AttackPlan {
  const pushed = { coin, from: 4, until, bps, sweeps: true } as const;
  return plan({ latency: 12, purse: 2 }, 400_000, { cash: 0.6, victims: 0.05, winners: 0.05 }, [
    play("pair", { coin, until: 3, leverage: 20 }),
    play("pin", { ...pushed, book: "spot" }),
    play("pin", { ...pushed, leverage: 20 }),
    play("paint", { coin, from: 4, until, bps, share: 0.01 }),
    play("serve", { coin, from: 5, until: 45, anchor: "mark", bps: 190 }),
  ]);
}

/** Opens positions between his own accounts at a mark that stays old while the fair price moves. */
function staleEdge(coin: number): AttackPlan {
  return plan(
    { seconds: 120, purse: 1, drift: 2, driftSeconds: 100, traderLeverage: 3, perpUntil: 1 },
    600_000,
    { victims: 0.04, winners: 0.04, cash: 0.6, coins: 0 },
    [
      play("pin", { coin, book: "spot", from: 1, until: 160, sweeps: true, spread: 800 }),
      play("pair", { coin, from: 104, until: 110, anchor: "mark", leverage: 100 }),
      play("withdraw", { from: 106, until: 160 }),
    ],
  );
}

/**
 * Moves the mark away from the index: he sets both the last trade and the middle of the book, and the fund buys from
 * him at that mark.
 */
function markDrain(coin: number): AttackPlan {
  return plan(
    { perpUntil: 5, traders: 0 },
    300_000,
    { cash: 0, coins: 0, victims: 0.05, winners: 0.1, painters: 0.4 },
    [
      play("pair", { coin, until: 3, leverage: 20 }),
      play("pin", { coin, from: 6, until: 55, rate: 30, spread: 5, share: 0.2 }),
      play("paint", { coin, from: 6, until: 55, rate: 30, share: 0.01 }),
      play("serve", { coin, from: 56, until: 65, anchor: "mark", bps: 195 }),
      play("withdraw", { from: 8, until: 90 }),
    ],
  );
}

/**
 * Opens positions between his own accounts while he keeps the mark of a sparse book away from the fair price; the mark
 * then returns.
 */
function shoveEdge(coin: number): AttackPlan {
  const away = { coin, sweeps: true, spread: 1, from: 1, until: 60, bps: -150 } as const;
  return plan(
    { ...sparse, seconds: 70, traders: 0 },
    500_000,
    { cash: 0, coins: 0.3, victims: 0.0215, winners: 0.0215, painters: 0.15 },
    [
      play("pin", { ...away, book: "spot" }),
      play("pin", { ...away, leverage: 20 }),
      play("pair", { coin, side: 1, from: 55, until: 60, anchor: "mark", leverage: 100 }),
      play("withdraw", { from: 60, until: 120 }),
    ],
  );
}

/** Moves the middle of a sparse book to liquidate highly leveraged accounts of others. */
function shoveHunt(coin: number): AttackPlan {
  const away = { coin, sweeps: true, spread: 1, from: 1, until: 60, bps: -150 } as const;
  return plan(
    { ...sparse, seconds: 70, traders: 8, traderNotional: 100_000, traderLeverage: 60 },
    500_000,
    { cash: 0, coins: 0.3, victims: 0, winners: 0, painters: 0.2, hunter: 0.5 },
    [
      play("pin", { ...away, book: "spot" }),
      play("pin", { ...away, leverage: 20 }),
      play("serve", { coin, group: "hunter", from: 5, until: 90, anchor: "mark", bps: -150 }),
    ],
  );
}

/** Keeps the mark away from the index while premiums are sampled and funding is settled. */
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

/** All known attacks, each on both coins: one has a fine tick, the other a coarse tick. */
export const knownAttacks: ReadonlyMap<string, AttackPlan> = new Map(
  [0, 1].flatMap((coin) =>
    Object.entries({
      "drain up": drain(coin, 1),
      "drain down": drain(coin, -1),
      spoof: spoof(coin),
      hunt: hunt(coin),
      "empty book": emptyBook(coin),
      "before index": beforeIndex(coin),
      creep: creep(coin),
      band: band(coin),
      edge: edge(coin),
      freeze: freeze(coin),
      "shove up": shove(coin, 1),
      "shove down": shove(coin, -1),
      "quick shove": quickShove(coin),
      burst: burst(coin, 900, 9),
      spike: burst(coin, 4000, 6),
      "stale edge": staleEdge(coin),
      "mark drain": markDrain(coin),
      "shove and edge": shoveEdge(coin),
      "shove and hunt": shoveHunt(coin),
      boundary: boundary(coin),
    }).map(([name, found]) => [`${name} ${coin === 0 ? "BTC" : "CC"}`, found] as const),
  ),
);
