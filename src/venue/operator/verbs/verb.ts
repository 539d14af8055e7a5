// A verb of the operator, declared once: what is typed, what of it goes to the venue, and what is done there.
// The command line and the venue's calls are both made of these rows (cli/program.ts, operator/control-calls.ts).

import { InvalidArgumentError, type Option } from "commander";
import * as z from "zod";
import type { FoldedSnapshot } from "../../../services/journal/snapshot-folding.ts";
import type { ClockControl } from "../../duties/clock-monitor.ts";
import type { MasterKeyControl } from "../../keys/venue-keys.ts";
import type { CallSettlement } from "../../ledger/settlement-thread.ts";
import type { Operator } from "../operator.ts";

/** What the venue itself answers, apart from the operator's changes. */
export interface VenueCalls {
  status(): Promise<unknown>;
  snapshot(): Promise<FoldedSnapshot>;
  /** The ledger network; throws where no venue runs. */
  ledger(): Promise<unknown>;
  /** Settlement on it; throws where the ledger is not reached, or no venue runs. */
  readonly settlement: CallSettlement;
  readonly masterKeys: MasterKeyControl;
  /** The machine's clock and the venue's; throws where no venue runs. */
  clockControl(): ClockControl;
}

/** Whom a verb may ask, at the venue. */
export interface VerbContext {
  readonly operator: Operator;
  readonly venue: VenueCalls;
}

/** Asks the venue: the call's name, and what it is given. */
export type VenueCall = (call: string, request: object) => Promise<unknown>;

/** What was typed behind the verb: its words in their places, those of a list one by one. */
export type VerbArguments = readonly (string | undefined)[];

interface VerbHelp {
  /** Its name and arguments as help shows them: `skip <batch>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly Option[];
  /** Without the program's name; help shows each behind it. */
  readonly examples: readonly string[];
  /** Sentences above the examples. */
  readonly notes?: string;
  /** Name of the call, where it is not the noun's and the verb's. */
  readonly call?: string;
  /** Refused where the venue has no development tools. */
  readonly isForDevelopment?: boolean;
}

/** As it is declared: `request` is what travels, checked at the venue before `does` has it. */
interface VerbRow<Request extends z.ZodType, Options extends object> extends VerbHelp {
  readonly request?: Request;
  readonly toRequest?: (args: VerbArguments, options: Options) => z.input<Request>;
  /** For a verb that is more than one call: asks and shows, on the side of the command line. */
  readonly converse?: (call: VenueCall, args: VerbArguments, options: Options) => Promise<void>;
  readonly run: (context: VerbContext, request: z.output<Request>) => Promise<unknown>;
}

export interface Verb extends VerbHelp {
  readonly request: z.ZodType;
  readonly toRequest: (args: VerbArguments, options: object) => object;
  readonly converse?: (call: VenueCall, args: VerbArguments, options: object) => Promise<void>;
  readonly run: (context: VerbContext, request: unknown) => Promise<unknown>;
}

/** Verbs of one thing, under its name. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly Verb[];
}

const nothing = z.unknown();

/** A row, held by its own types: what is typed becomes what travels, and that is what `does` is given. */
export function verb<Request extends z.ZodType = z.ZodUnknown, Options extends object = object>(
  row: VerbRow<Request, Options>,
): Verb {
  // What a row's own types hold together, its reader passes on unread.
  return { request: nothing, toRequest: () => ({}), ...row } as unknown as Verb;
}

/** The name of the call that carries a verb out. */
export function callOf({ name: noun }: Noun, { usage, call }: Verb): string {
  const [name = ""] = usage.split(" ");
  return call ?? (noun === "" ? name : `${noun}/${name}`);
}

/** The positive whole number given on the command line as `name`. */
export function wholeNumber(name: string, text = ""): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new InvalidArgumentError(`${name}: expected a whole number above 0, not ${text}`);
  }
  return Number(text);
}

/** The number of an account, as every command takes it. */
export function accountNumber(text?: string): number {
  return wholeNumber("account", text);
}

/** A number that the venue gave: of an account, a key, a deposit. */
export const id = z.number().int().positive();
export const oneAccount = z.object({ account: id });
