// `faults …`: what happens on purpose to clients of the second address of a venue that can be rewound.

import { InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import {
  type FaultTarget,
  faultApplication,
  faultTarget,
} from "../../../../schemas/fault-profile.ts";
import { readProfile, readyProfiles } from "../../../tools/faults/ready-profiles.ts";
import { FileFault } from "../../../tools/json-file/json-file.ts";
import { durationExpected, durationMs } from "../../config/utc-time.ts";
import { type Noun, verb, wholeNumber } from "./verb.ts";

interface TargetOptions {
  readonly key?: string;
  readonly address?: string;
  readonly all?: boolean;
}

interface ApplyOptions extends TargetOptions {
  readonly seed: number;
  readonly for?: number;
}

function duration(text: string): number {
  const ms = durationMs(text);
  if (ms === null) throw new InvalidArgumentError(`expected ${durationExpected}`);
  return ms;
}

const targetOptions = () => [
  new Option("--key <key>", "requests and connections with this API key"),
  new Option("--address <address>", "clients at this address, unless their key has a profile"),
  new Option("--all", "everybody else"),
];

/** The target that the options name; null if they name none. */
function targetOf({ key, address, all }: TargetOptions): FaultTarget | null {
  const named = [
    ...(key === undefined ? [] : [{ key }]),
    ...(address === undefined ? [] : [{ address }]),
    ...(all === true ? [{ all: true } as const] : []),
  ];
  if (named.length > 1)
    throw new InvalidArgumentError("expected one of --key, --address and --all");
  return named[0] ?? null;
}

function profileOf(nameOrPath: string) {
  try {
    return readProfile(nameOrPath);
  } catch (error) {
    throw error instanceof FileFault ? new InvalidArgumentError(error.message) : error;
  }
}

export const faultVerbs: Noun = {
  name: "faults",
  summary: "let faults happen to clients on purpose (venues started with --rewind only)",
  verbs: [
    verb({
      usage: "list",
      summary: "list the ready profiles",
      examples: ["faults list"],
      run: async ({ venue }) => {
        venue.faults();
        return readyProfiles.map(({ name, description }) => ({ profile: name, description }));
      },
    }),
    verb({
      usage: "show",
      summary: "show the address with faults, and which profiles are applied to whom",
      examples: ["faults show --json"],
      run: ({ venue }) => venue.faults().show(),
    }),
    verb({
      usage: "apply <profile>",
      summary: "apply a ready profile, or one in a file, in place of the one with the same target",
      options: [
        ...targetOptions(),
        new Option("--seed <n>", "the same seed and requests give the same faults")
          .argParser((text) => wholeNumber("seed", text))
          .default(1),
        new Option("--for <duration>", "when it ends (default: when it is cleared)").argParser(
          duration,
        ),
      ],
      notes: "Without --key and --address it is applied to everybody.",
      examples: [
        "faults apply flaky-answers --seed 7 --for 10m",
        "faults apply ./my-profile.json --address 127.0.0.1",
      ],
      request: faultApplication,
      toRequest: ([profile = ""], { seed, for: forMs, ...target }: ApplyOptions) => ({
        profile: profileOf(profile),
        target: targetOf(target) ?? { all: true },
        ...{ seed, forMs: forMs ?? null },
      }),
      run: async ({ operator, venue }, application) => {
        const faults = venue.faults();
        const { target } = application;
        // With a mistyped key no fault would ever happen, and a test would pass.
        if ("key" in target) await operator.requireKey(target.key, "target.key");
        return faults.apply(application);
      },
    }),
    verb({
      usage: "clear",
      summary: "end the profile of one target, or all",
      options: targetOptions(),
      examples: ["faults clear"],
      request: z.object({ target: faultTarget.nullable() }),
      toRequest: (_, target: TargetOptions) => ({ target: targetOf(target) }),
      run: ({ venue }, { target }) => venue.faults().clear(target),
    }),
  ],
};
