// A fault profile as a file: a name and a list of faults that happen to a client on purpose, between it and the venue.
// Each fault has a rate, a filter of what it happens to, and a window of time. Times are milliseconds. Specification:
// REW-33; guide: docs/guides/faults.md.

import * as z from "zod";

/** Longest delay of one frame or request: longer than the venue's own deadline of 30 s. */
const delayMsMax = 60_000;
/** A day: windows and disconnects that are farther apart never happen in a test. */
const windowMsMax = 86_400_000;
/** The delays of a trace. A profile with more does not fit into a call of the control socket. */
const traceMax = 4_000;
const faultsMax = 16;
const patternsMax = 16;

const delayMs = z.number().min(0).max(delayMsMax);
const spanMs = z.number().int().min(1).max(windowMsMax);

/** Text with `*` for any characters; capital and small letters are the same. Few stars, so that each is matched soon. */
const pattern = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^*]*(?:\*[^*]*){0,4}$/, "expected at most 4 stars");
const patterns = z.array(pattern).min(1).max(patternsMax);

/** What a fault happens to; each field that is given must match. */
const filter = z.strictObject({
  /** Paths of requests and connections, without the query; of a stream frame, also its stream's name. */
  paths: patterns.optional(),
  /** HTTP methods, methods of order sessions such as `order.place`, and CONNECT for a new WebSocket. */
  methods: patterns.optional(),
  /** Symbols, with or without the hyphen. */
  markets: patterns.optional(),
  /** Events of stream frames, such as `depthUpdate`. */
  events: patterns.optional(),
});

/** When a fault happens, counted from the moment the profile is applied: `for_ms` of each `every_ms`. */
const window = z
  .strictObject({
    after_ms: z.number().int().min(0).max(windowMsMax).default(0),
    for_ms: spanMs.optional(),
    every_ms: spanMs.optional(),
  })
  // Otherwise the window would never close.
  .refine(({ for_ms, every_ms }) => every_ms === undefined || (for_ms ?? every_ms) < every_ms, {
    error: "expected for_ms, less than every_ms",
  });

const common = {
  rate: z.number().min(0).max(1).default(1),
  on: filter.default({}),
  during: window.default({ after_ms: 0 }),
};

const delay = z.union(
  [
    z.strictObject({ fixed_ms: delayMs }),
    z.strictObject({
      lognormal: z.strictObject({ median_ms: delayMs, sigma: z.number().min(0).max(4) }),
    }),
    z.strictObject({ trace_ms: z.array(delayMs).min(1).max(traceMax) }),
  ],
  { error: "expected fixed_ms, lognormal {median_ms, sigma}, or trace_ms (or trace_file)" },
);

/** What the client sees of a lost request or answer: nothing but a closed connection, or an error after a while. */
const loss = {
  as: z.enum(["cut", "timeout", "unknown"]).default("cut"),
  after_ms: delayMs.default(0),
};

const fault = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("latency-in"), ...common, delay }),
  z.strictObject({ kind: z.literal("latency-out"), ...common, delay }),
  z.strictObject({ kind: z.literal("lose-request"), ...common, ...loss }),
  z.strictObject({ kind: z.literal("lose-answer"), ...common, ...loss }),
  z.strictObject({
    kind: z.literal("refuse"),
    ...common,
    status: z.union([z.literal(429), z.literal(418), z.literal(503)]),
    /** The Retry-After header; without it only 418 has one. */
    retry_after_s: z.number().int().min(1).max(86_400).optional(),
  }),
  z.strictObject({
    kind: z.literal("outage"),
    ...common,
    as: z.enum(["cut", "503"]).default("cut"),
  }),
  z.strictObject({ kind: z.literal("stale-depth"), ...common, delay_ms: delayMs }),
  z.strictObject({ kind: z.literal("gap-depth"), ...common }),
  z.strictObject({ kind: z.literal("reorder"), ...common }),
  z.strictObject({ kind: z.literal("duplicate"), ...common }),
  z.strictObject({
    kind: z.literal("disconnect"),
    ...common,
    every_ms: spanMs.min(100),
    /** Code of a close frame; without it the connection is cut. */
    close_code: z
      .number()
      .int()
      .min(3000)
      .max(4999)
      .or(z.literal([1001, 1006, 1008, 1012]))
      .optional(),
  }),
  // Within these bounds a client that corrects its clock by serverTime is never refused by the venue itself, which
  // takes timestamps from 5 s before to 1 s after its own time.
  z.strictObject({
    kind: z.literal("clock-skew"),
    ...common,
    by_ms: z.number().int().min(-4_500).max(900),
  }),
]);

export const faultProfile = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "expected 1 to 40 of a-z, 0-9 and -"),
  description: z.string().max(400).default(""),
  faults: z.array(fault).min(1).max(faultsMax),
});

export type FaultProfile = z.output<typeof faultProfile>;
export type Fault = FaultProfile["faults"][number];
export type FaultKind = Fault["kind"];
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { readonly kind: Kind }>;
export type Delay = z.output<typeof delay>;
export type FaultFilter = z.output<typeof filter>;
export type FaultWindow = z.output<typeof window>;

/** Whom a profile happens to. */
export const faultTarget = z.union(
  [
    z.strictObject({ key: z.string().regex(/^[A-Za-z0-9]{1,64}$/, "expected an API key") }),
    z.strictObject({ address: z.union([z.ipv4(), z.ipv6()], { error: "expected an IP address" }) }),
    z.strictObject({ all: z.literal(true) }),
  ],
  { error: "expected a key, an IP address, or all" },
);

export type FaultTarget = z.output<typeof faultTarget>;

/** A profile to apply: to whom, with which seed, and for how long; null for until it is cleared. */
export const faultApplication = z.strictObject({
  profile: faultProfile,
  target: faultTarget,
  seed: z
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  forMs: z
    .number()
    .int()
    .min(1)
    .max(30 * windowMsMax)
    .nullable(),
});

export type FaultApplication = z.output<typeof faultApplication>;
