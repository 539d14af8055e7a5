// An attack as data: the state of its venue, the attacker's money and how he divides it, and his plays (actions over a
// span of time). A plan is drawn from a seed or mutated from another plan. It fits in one line of JSON, so that a found
// attack can be stored and run again.

import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";

/** The kinds of play: actions of an attacker over a span of the attack. */
export type PlayKind =
  /** His own accounts take both sides of a position: one account is meant to go bankrupt, the other to win. */
  | "pair"
  /** Quotes both sides of a book around a chosen price; with `sweeps`, first takes the orders in between. */
  | "pin"
  /** Trades with himself at a chosen price. */
  | "paint"
  /** Takes a position from others. */
  | "take"
  /**
   * Offers liquidity at a chosen price to accounts that are forced to close positions, or that want to open them.
   */
  | "serve"
  /** Withdraws what he can from the perp wallets. */
  | "withdraw";

/** One play: an action of the attacker over a span of seconds. A kind ignores the fields it does not use. */
export interface Play {
  readonly kind: PlayKind;
  readonly coin: number;
  readonly book: "spot" | "perp";
  /** First second of the play, counted from the start of the attack. */
  readonly from: number;
  readonly until: number;
  /**
   * Bit mask of the quarters of each second in which the play acts; in the other quarters its orders are off the book.
   */
  readonly quarters: number;
  /** Direction of the play: 1 up, −1 down. */
  readonly side: 1 | -1;
  /** The price that `bps` is measured from. */
  readonly anchor: "fair" | "mark" | "index";
  /** Distance of the play's price from the anchor, in basis points. */
  readonly bps: number;
  /** Growth of that distance, in basis points per second. */
  readonly rate: number;
  /** Distance between the play's own bid and ask, in basis points. */
  readonly spread: number;
  /** Share of the group's balance that the play may use. */
  readonly share: number;
  readonly leverage: number;
  readonly group: "victims" | "winners" | "hunter";
  readonly sweeps: boolean;
}

/** The state of the venue under attack. Money is in whole units of USDC, time in seconds of the attack. */
export interface Scene {
  readonly seed: number;
  /** Duration of the attack in seconds. */
  readonly seconds: number;
  /** Depth that makers quote on each side of a spot market, as a multiple of the venue's usual depth. */
  readonly spotDepth: number;
  readonly perpDepth: number;
  readonly purse: number;
  /** Distance from a maker's best quote to its worst, in basis points. */
  readonly reach: number;
  /** Quarters of a second between two updates of a maker's quotes. */
  readonly latency: number;
  /** Seconds of the attack in which makers quote, by book. */
  readonly spotFrom: number;
  readonly spotUntil: number;
  readonly perpFrom: number;
  readonly perpUntil: number;
  readonly traders: number;
  readonly traderNotional: number;
  readonly traderLeverage: number;
  /** Second of the funding settlement; 0 if none falls into the attack. */
  readonly fundingAt: number;
  /** Minutes of trading before the attack. */
  readonly minutesBefore: number;
  /**
   * Speed of the fair price in basis points per second; 0 for a constant price. A plan with a moving price runs once in
   * each direction.
   */
  readonly drift: number;
  /** Number of seconds in which the fair price moves. */
  readonly driftSeconds: number;
}

/** How the attacker divides his money, as relative weights. */
export interface Purses {
  readonly cash: number;
  readonly coins: number;
  readonly victims: number;
  readonly winners: number;
  readonly painters: number;
  readonly hunter: number;
}

export interface AttackPlan {
  readonly scene: Scene;
  readonly capital: number;
  /** Number of accounts on each side of a pair. */
  readonly accounts: number;
  readonly purses: Purses;
  readonly plays: readonly Play[];
}

export const capitalMax = 1_000_000;
/** Longest duration of an attack in seconds. */
const secondsMax = 150;
const playsMax = 8;

function pick<T>(random: SeededRandom, from: readonly [T, ...T[]]): T {
  return from[random.below(from.length)] ?? from[0];
}

/** Draws a positive number between two bounds; each octave is equally likely. */
function between(random: SeededRandom, low: number, high: number): number {
  return low * (high / low) ** random.next();
}

function inside(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** Rounds to four significant digits, so that a plan is readable and equals its JSON line. */
function plain(value: number): number {
  return Number(value.toPrecision(4));
}

export function drawScene(random: SeededRandom): Scene {
  const seconds = 10 + random.below(80);
  const drifts = random.below(6) === 0;
  const spans = (): readonly [number, number] => {
    const what = random.below(10);
    if (what < 6) return [0, secondsMax];
    if (what < 7) return [secondsMax, secondsMax];
    return what < 9 ? [0, random.below(seconds)] : [random.below(seconds), secondsMax];
  };
  const [spotFrom, spotUntil] = spans();
  const [perpFrom, perpUntil] = spans();
  return {
    seed: random.below(2 ** 30),
    seconds,
    spotDepth: plain(between(random, 0.5, 8)),
    perpDepth: plain(between(random, 0.5, 8)),
    purse: 1 + random.below(10),
    reach: plain(between(random, 2, 400)),
    latency: 1 + random.below(12),
    ...{ spotFrom, spotUntil, perpFrom, perpUntil },
    traders: random.below(9),
    traderNotional: plain(between(random, 2_000, 100_000)),
    // If the fair price moves, draw a low leverage, so that the move alone does not liquidate the other traders.
    traderLeverage: drifts ? 3 : 2 + random.below(60),
    fundingAt: random.below(4) === 0 ? 2 + random.below(seconds) : 0,
    minutesBefore: random.below(4) === 0 ? 1 : 3,
    ...(drifts ? drawDrift(random) : { drift: 0, driftSeconds: 0 }),
  };
}

/** The fair price moves by at most 2 % in total and 1.2 % a minute: a wild market, but a possible one. */
function drawDrift(random: SeededRandom): Pick<Scene, "drift" | "driftSeconds"> {
  const drift = plain(between(random, 0.2, 2));
  return { drift, driftSeconds: 1 + random.below(Math.floor(200 / drift)) };
}

export function drawPurses(random: SeededRandom): Purses {
  const part = () => (random.below(4) === 0 ? 0 : plain(random.next()));
  return {
    cash: part(),
    coins: part(),
    victims: part(),
    winners: part(),
    painters: plain(0.02 + 0.2 * random.next()),
    hunter: part(),
  };
}

function drawBps(random: SeededRandom): number {
  const size = plain(between(random, 1, 20_000));
  return random.below(2) === 0 ? size : -Math.min(size, 7900);
}

export function drawPlay(random: SeededRandom, seconds: number): Play {
  const from = random.below(seconds);
  const kinds = ["pair", "pin", "pin", "paint", "take", "serve", "withdraw"] as const;
  return {
    kind: pick(random, kinds),
    coin: random.below(2),
    book: pick(random, ["spot", "perp"]),
    from,
    until: from + 1 + random.below(secondsMax),
    quarters: random.below(2) === 0 ? 15 : 1 + random.below(15),
    side: random.below(2) === 0 ? 1 : -1,
    anchor: pick(random, ["fair", "mark", "index"]),
    bps: drawBps(random),
    rate: random.below(3) === 0 ? drawBps(random) / 20 : 0,
    spread: plain(between(random, 0.1, 500)),
    share: plain(between(random, 0.01, 1)),
    leverage: Math.round(between(random, 1, 100)),
    group: pick(random, ["victims", "winners", "hunter"]),
    sweeps: random.below(2) === 0,
  };
}

/** Draws the number of accounts on each side of a pair; opening accounts costs nothing. */
function drawAccounts(random: SeededRandom): number {
  return Math.round(between(random, 1, 24));
}

export function drawPlan(random: SeededRandom): AttackPlan {
  const scene = drawScene(random);
  return {
    scene,
    capital: Math.round(between(random, 1_000, capitalMax)),
    accounts: drawAccounts(random),
    purses: drawPurses(random),
    plays: Array.from({ length: 2 + random.below(playsMax - 1) }, () =>
      drawPlay(random, scene.seconds),
    ),
  };
}

/** Changes a number a little or a lot, at random. */
function nudge(random: SeededRandom, value: number): number {
  const factor = Math.exp((random.next() - 0.5) * pick(random, [0.1, 0.5, 2]));
  const turns = random.below(20) === 0 ? -1 : 1;
  return plain(value * factor * turns);
}

function changePlay(random: SeededRandom, play: Play, seconds: number): Play {
  const other = drawPlay(random, seconds);
  const bps = inside(nudge(random, play.bps), -7900, 40_000);
  const changes: readonly [Partial<Play>, ...Partial<Play>[]] = [
    { bps },
    { bps: play.bps + random.below(201) - 100 },
    { rate: play.rate === 0 ? other.rate : nudge(random, play.rate) },
    { spread: Math.abs(nudge(random, play.spread)) },
    { share: inside(Math.abs(nudge(random, play.share)), 0.000_01, 1) },
    { leverage: Math.round(inside(Math.abs(nudge(random, play.leverage)), 1, 100)) },
    { from: inside(play.from + random.below(9) - 4, 0, secondsMax) },
    { until: inside(play.until + random.below(17) - 8, 1, 2 * secondsMax) },
    { quarters: other.quarters },
    { anchor: other.anchor },
    { sweeps: !play.sweeps },
    { group: other.group },
    { side: other.side },
    { coin: other.coin, book: other.book },
  ];
  return { ...play, ...pick(random, changes) };
}

function changePurses(random: SeededRandom, purses: Purses): Purses {
  const names = ["cash", "coins", "victims", "winners", "painters", "hunter"] as const;
  const name = pick(random, names);
  const part = purses[name] === 0 ? 0.3 : Math.abs(nudge(random, purses[name]));
  return { ...purses, [name]: random.below(8) === 0 ? 0 : part };
}

function changePlays(random: SeededRandom, plan: AttackPlan): readonly Play[] {
  const { plays, scene } = plan;
  const index = random.below(plays.length);
  const what = random.below(10);
  if (what === 0 && plays.length < playsMax) return [...plays, drawPlay(random, scene.seconds)];
  if (what === 1 && plays.length > 1) return plays.filter((_, at) => at !== index);
  return plays.map((play, at) => (at === index ? changePlay(random, play, scene.seconds) : play));
}

/** Returns a copy of `plan` with one to four changes. */
export function changePlan(random: SeededRandom, plan: AttackPlan): AttackPlan {
  let changed = plan;
  for (let left = 1 + random.below(4); left > 0; left--) {
    const what = random.below(12);
    if (what === 0) changed = { ...changed, purses: changePurses(random, changed.purses) };
    else if (what === 1) changed = { ...changed, accounts: drawAccounts(random) };
    else if (what === 2) {
      const capital = Math.round(inside(Math.abs(nudge(random, plan.capital)), 500, capitalMax));
      changed = { ...changed, capital };
    } else if (what === 3) changed = { ...changed, scene: changeScene(random, changed.scene) };
    else changed = { ...changed, plays: changePlays(random, changed) };
  }
  return changed;
}

/** Draws one number of the scene anew, or one set of numbers that belong together, such as the times of a maker. */
function changeScene(random: SeededRandom, scene: Scene): Scene {
  const other = drawScene(random);
  const { spotFrom, spotUntil, perpFrom, perpUntil, drift, driftSeconds } = other;
  const changes: readonly [Partial<Scene>, ...Partial<Scene>[]] = [
    { seconds: other.seconds },
    { spotDepth: other.spotDepth },
    { perpDepth: other.perpDepth },
    { purse: other.purse },
    { reach: other.reach },
    { latency: other.latency },
    { spotFrom, spotUntil },
    { perpFrom, perpUntil },
    { traders: other.traders, traderNotional: other.traderNotional },
    { fundingAt: other.fundingAt },
    { drift, driftSeconds, traderLeverage: other.traderLeverage },
  ];
  return { ...scene, ...pick(random, changes) };
}
