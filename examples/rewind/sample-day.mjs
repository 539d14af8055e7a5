// Writes a day of BTCUSDT that never happened, in the format of Binance's public aggTrades of USD-M futures: a random walk
// from a seed. Use it where no recording is at hand:
//
//   node sample-day.mjs [seed] > sample-day.csv

const startMs = Date.UTC(2025, 5, 3);
const dayMs = 86_400_000;
const firstPrice = 95_800;
/** A trade every ten seconds, of about 0.05 BTC, after which the price has moved by about 20 USDT. */
const meanGapMs = 10_000;
const meanThousandths = 50;
const stepUsdt = 20;

/** A random number in (0, 1) from a seed: mulberry32. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function* sampleDay(seed = 1) {
  const random = seeded(seed);
  const exponential = (mean) => -Math.log(1 - random()) * mean;
  yield "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker";
  let price = firstPrice;
  let atMs = startMs;
  for (let id = 1; ; id += 1) {
    atMs += Math.ceil(exponential(meanGapMs));
    if (atMs >= startMs + dayMs) return;
    const isDown = random() < 0.5;
    price += Math.round(exponential(stepUsdt)) * (isDown ? -1 : 1);
    const quantity = (Math.ceil(exponential(meanThousandths)) / 1000).toFixed(3);
    yield `${id},${price}.0,${quantity},${id},${id},${atMs},${isDown}`;
  }
}

if (import.meta.url === `file://${process.argv[1]}`)
  for (const line of sampleDay(Number(process.argv[2] ?? 1))) process.stdout.write(`${line}\n`);
