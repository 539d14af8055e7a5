// The calls of the control socket: the operator's verbs and the other calls of the command line. If no venue runs,
// the command line uses the same table without a socket.

import * as z from "zod";
import type { Operator } from "./operator.ts";
import { WrongValue } from "./operator-commands.ts";
import { accountVerbs, keyVerbs } from "./verbs/accounts.ts";
import { faultVerbs } from "./verbs/faults.ts";
import { custodyVerbs, depositVerbs, settleVerbs, swapVerbs } from "./verbs/ledger.ts";
import { insuranceVerbs, makerVerbs, marketVerbs } from "./verbs/markets.ts";
import { providerVerbs } from "./verbs/providers.ts";
import { truthVerbs } from "./verbs/truth.ts";
import { clockVerbs, venueVerbs } from "./verbs/venue.ts";
import { callOf, type Noun, type VenueCalls } from "./verbs/verb.ts";

const nouns: readonly Noun[] = [
  ...[clockVerbs, venueVerbs, keyVerbs, accountVerbs, insuranceVerbs, makerVerbs, marketVerbs],
  ...[settleVerbs, providerVerbs, swapVerbs, depositVerbs, custodyVerbs, faultVerbs],
  truthVerbs,
];

const masterKey = z.object({
  key: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .nullable(),
});

type Handler = (parameters: unknown) => Promise<unknown>;

/** Returns a function that handles every call by its name; `mayFund` includes the calls of the development tools. */
export function controlCalls(
  operator: Operator,
  venue: VenueCalls,
  mayFund: boolean,
): (call: string, parameters: unknown) => Promise<unknown> {
  const calls = new Map<string, Handler>([
    ["ping", async () => ({})],
    ["master-key/show", () => venue.masterKeys.show()],
    ["master-key/begin", (given) => venue.masterKeys.begin(masterKey.parse(given).key)],
    ["master-key/step", () => venue.masterKeys.step()],
    ["master-key/finish", () => venue.masterKeys.finish()],
  ]);
  const isOff = new Set<string>();
  for (const noun of nouns) {
    for (const verb of noun.verbs) {
      const name = callOf(noun, verb);
      if (verb.isForDevelopment === true && !mayFund) isOff.add(name);
      else
        calls.set(name, async (given) => verb.run({ operator, venue }, verb.request.parse(given)));
    }
  }
  return async (call, parameters) => {
    const handle = calls.get(call);
    if (handle === undefined) {
      const reason = isOff.has(call) ? ": it needs DEV_TOOLS=1" : "";
      throw new Error(`the venue does not support the call ${call}${reason}`);
    }
    return answered(handle, parameters);
  };
}

/** Turns a validation error into a message that names the parameters. */
async function answered(handle: Handler, parameters: unknown): Promise<unknown> {
  try {
    return await handle(parameters);
  } catch (error) {
    throw error instanceof z.ZodError ? new WrongValue(messageOf(error)) : error;
  }
}

/** Returns one line per invalid parameter, such as `label: Too big: …`. */
function messageOf({ issues }: z.ZodError): string {
  const lineOf = ({ path, message }: (typeof issues)[number]) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`;
  return issues.map(lineOf).join("\n");
}
