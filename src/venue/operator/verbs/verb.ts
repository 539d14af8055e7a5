// The operator's commands, such as `accounts create`: a noun and a verb. Each verb is declared once, with its
// arguments, the request that the command line sends to the venue, and what the venue then runs. The command line and
// the control calls are both built from these rows (cli/program.ts, operator/control-calls.ts).

import { InvalidArgumentError, type Option } from "commander";
import * as z from "zod";
import type { FoldedSnapshot } from "../../../services/journal/snapshot-folding.ts";
import type { FaultControl } from "../../demo/fault-proxy-companion.ts";
import type { ClockControl } from "../../duties/clock-monitor.ts";
import type { MarketControl } from "../../duties/market-control.ts";
import type { MasterKeyControl } from "../../keys/venue-keys.ts";
import type { CallSettlement } from "../../ledger/settlement-thread.ts";
import type { Operator } from "../operator.ts";

/** Calls about the venue itself, beside the operator's actions. */
export interface VenueCalls {
  status(): Promise<unknown>;
  snapshot(): Promise<FoldedSnapshot>;
  /** Gives the leadership to a follower; throws if no venue follows. */
  handOver(): Promise<{ readonly tookMs: number }>;
  /** The state of the ledger network; throws if no venue runs. */
  ledger(): Promise<unknown>;
  /** Calls to settlement; throws if the ledger is not reached or no venue runs. */
  readonly settlement: CallSettlement;
  readonly masterKeys: MasterKeyControl;
  /** Shows the machine's clock and the venue's time, and accepts the machine's clock; throws if no venue runs. */
  clockControl(): ClockControl;
  /** Moves the market's time; throws unless a venue runs that can be rewound. */
  marketControl(): MarketControl;
  /** The faults of a venue that can be rewound; throws for another venue, and if no venue runs. */
  faults(): FaultControl;
}

/** What the venue passes to a verb that it runs. */
export interface VerbContext {
  readonly operator: Operator;
  readonly venue: VenueCalls;
}

/** Makes a call to the venue by name. */
export type VenueCall = (call: string, request: object) => Promise<unknown>;

/** The arguments after the verb, by position; each item of a list is a separate argument. */
export type VerbArguments = readonly (string | undefined)[];

interface VerbHelp {
  /** Name and arguments as shown by help: `skip <batch>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly Option[];
  /** The values that an argument takes, by its name in `usage`; capital and small letters are the same. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  /** Text above the examples. */
  readonly notes?: string;
  /** Name of the call, if it is not `noun/verb`. */
  readonly call?: string;
  /** Refused without development tools. */
  readonly isForDevelopment?: boolean;
}

/** A declared verb: the venue validates the request with `request` before `run`. */
interface VerbRow<Request extends z.ZodType, Options extends object> extends VerbHelp {
  readonly request?: Request;
  readonly toRequest?: (args: VerbArguments, options: Options) => z.input<Request>;
  /** For a verb that needs several calls: makes them, in the command line, instead of the single call. */
  readonly converse?: (call: VenueCall, args: VerbArguments, options: Options) => Promise<void>;
  readonly run: (context: VerbContext, request: z.output<Request>) => Promise<unknown>;
}

export interface Verb extends VerbHelp {
  readonly request: z.ZodType;
  readonly toRequest: (args: VerbArguments, options: object) => object;
  readonly converse?: (call: VenueCall, args: VerbArguments, options: object) => Promise<void>;
  readonly run: (context: VerbContext, request: unknown) => Promise<unknown>;
}

/** The verbs of one noun. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly Verb[];
}

const nothing = z.unknown();
/** The request of a call that takes nothing, and says so. */
export const noFields = z.strictObject({});

/** Declares a verb. The types make sure that its arguments fit the request, and that the request fits `run`. */
export function verb<Request extends z.ZodType = z.ZodUnknown, Options extends object = object>(
  row: VerbRow<Request, Options>,
): Verb {
  // The types of the row guarantee what the common type cannot express, so the cast is safe.
  return { request: nothing, toRequest: () => ({}), ...row } as unknown as Verb;
}

/** Returns the name of a verb's call. */
export function callOf({ name: noun }: Noun, { usage, call }: Verb): string {
  const [name = ""] = usage.split(" ");
  return call ?? (noun === "" ? name : `${noun}/${name}`);
}

/** Parses the argument `name`, a whole number above 0. */
export function wholeNumber(name: string, text = ""): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new InvalidArgumentError(`${name}: expected a whole number above 0, not ${text}`);
  }
  return Number(text);
}

export function accountNumber(text?: string): number {
  return wholeNumber("account", text);
}

/** The number of an account, a key or a deposit. */
export const id = z.number().int().positive();
export const oneAccount = z.object({ account: id });
