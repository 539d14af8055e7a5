// Verbs on the market's time of a venue that can be rewound: `clock pause`, `resume`, `speed`, `step`, `jump`, `set`.

import { InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { show } from "../../cli/terminal/output.ts";
import { ProgressBar } from "../../cli/terminal/progress-bar.ts";
import { durationExpected, durationMs, utcExpected, utcMs } from "../../config/utc-time.ts";
import { jumpNames } from "../../duties/market-control.ts";
import { noFields, type VenueCall, type Verb, verb } from "./verb.ts";

const eventsMax = 1_000_000;

const duration = z
  .string()
  .refine((text) => durationMs(text) !== null, `expected ${durationExpected}`);
const time = z.string().refine((text) => utcMs(text) !== null, `expected ${utcExpected}`);
const stepRequest = z.strictObject({
  by: duration.optional(),
  events: z.number().int().min(1).max(eventsMax).optional(),
});
const jumpRequest = z.strictObject({ to: z.enum(jumpNames).optional() });

interface StepOptions {
  readonly by?: string;
  readonly events?: number;
}

interface Shown {
  readonly market?: { readonly time: string; readonly step?: { from: string; to: string } };
}

const lookMs = 500;

/** Makes a call that may take minutes, and meanwhile shows on a terminal how far the market's time has come. */
async function watched(call: VenueCall, name: string, request: object): Promise<void> {
  const bar = new ProgressBar("seconds of market time");
  const look = () =>
    void call("clock/show", {}).then(
      (shown) => {
        const { market } = shown as Shown;
        if (market?.step === undefined) return;
        const { from, to } = market.step;
        const secondsTo = (text: string) => (Date.parse(text) - Date.parse(from)) / 1000;
        bar.show(secondsTo(market.time), secondsTo(to));
      },
      () => undefined,
    );
  const timer = setInterval(look, lookMs);
  try {
    const result = await call(name, request);
    bar.end();
    show(result);
  } finally {
    clearInterval(timer);
  }
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > eventsMax)
    throw new InvalidArgumentError(`expected 1 to ${eventsMax}`);
  return Number(text);
}

function durationOf(text: string): string {
  if (durationMs(text) === null) throw new InvalidArgumentError(`expected ${durationExpected}`);
  return text;
}

function factorOf(text: string): number {
  const factor = Number(/^\d{1,4}(\.\d{1,6})?$/.exec(text)?.[0]);
  if (!(factor >= 0.1 && factor <= 1000))
    throw new InvalidArgumentError(`factor: expected 0.1 to 1000, not ${text}`);
  return factor;
}

const needsRewind = "Only for a venue started with --rewind.";

export const marketTimeVerbs: readonly Verb[] = [
  verb({
    usage: "pause",
    summary: "let the market's time stand still, and end a step that runs",
    notes: `${needsRewind} Orders are still taken and matched; nothing is due meanwhile.`,
    examples: ["clock pause"],
    request: noFields,
    run: async ({ venue }) => venue.marketControl().pause(),
  }),
  verb({
    usage: "resume",
    summary: "let the market's time run on, at the speed that was set",
    notes: needsRewind,
    examples: ["clock resume"],
    request: noFields,
    run: async ({ venue }) => venue.marketControl().resume(),
  }),
  verb({
    usage: "speed <factor>",
    summary: "run the market's time 0.1 to 1000 times as fast as real time",
    notes: needsRewind,
    examples: ["clock speed 10"],
    request: z.strictObject({ factor: z.number().min(0.1).max(1000) }),
    toRequest: ([text = ""]) => ({ factor: factorOf(text) }),
    run: async ({ venue }, { factor }) => venue.marketControl().setSpeed(factor),
  }),
  verb({
    usage: "step",
    summary: "move the market's time on, with everything that is due on the way",
    notes:
      `${needsRewind} Ends when everything is committed. A step by events ends after a day of market time, ` +
      "if less happens.",
    options: [
      new Option("--by <duration>", "such as 250ms, 5s, 2m, 1h or 1d").argParser(durationOf),
      new Option("--events <n>", "until at least so many more events have happened").argParser(
        countOf,
      ),
    ],
    examples: ["clock step --by 5m", "clock step --events 1"],
    request: stepRequest,
    toRequest: (_, { by, events }: StepOptions) => ({ by, events }),
    converse: (call, _, { by, events }) => watched(call, "clock/step", { by, events }),
    run: async ({ venue }, { by, events }) => {
      const byMs = by === undefined ? null : durationMs(by);
      return venue.marketControl().step({
        ...(byMs !== null && { byMs }),
        ...(events !== undefined && { events }),
      });
    },
  }),
  verb({
    usage: "jump [to]",
    summary: "move the market's time on to the next thing that is due, which the answer names",
    choices: { to: jumpNames },
    notes:
      `${needsRewind} Without a name: the nearest of funding, expiry of a GTD order, candle of a minute, and ` +
      "market sample.",
    examples: ["clock jump", "clock jump funding"],
    request: jumpRequest,
    toRequest: ([to]) => ({ to: to as (typeof jumpNames)[number] | undefined }),
    converse: (call, [to]) => watched(call, "clock/jump", { to }),
    run: async ({ venue }, { to }) => venue.marketControl().jump(to ?? null),
  }),
  verb({
    usage: "set <time>",
    summary: "move the market's time on to a time, with everything that is due on the way",
    notes: `${needsRewind} The market's time never goes back.`,
    examples: ["clock set 2026-01-31T09:30:00Z"],
    // `readable` false: the answer does not wait until histories have what happened, only for its commit.
    request: z.strictObject({ time, readable: z.boolean().default(true) }),
    toRequest: ([text = ""]) => ({ time: text, readable: true }),
    converse: (call, [text]) => watched(call, "clock/set", { time: text }),
    run: async ({ venue }, { time: to, readable }) =>
      venue.marketControl().set(utcMs(to) ?? 0, readable),
  }),
];
