// How a command reaches the venue: through the control socket of the running venue, or, if no venue runs, by making the
// same calls directly on the database under the writer's lock.

import {
  callControl,
  controlSocketPath,
  isAnswered,
} from "../../adapters/runtime/control-socket.ts";
import { readConfig } from "../config/config.ts";
import { WrongValue } from "../operator/operator-commands.ts";
import type { VenueCall } from "../operator/verbs/verb.ts";
import type { OfflineOptions } from "../verification/offline-venue.ts";

/** Returns the result of `call`; throws the venue's message if it refuses. */
export function callVenue(call: string, parameters: object): Promise<unknown> {
  return withVenue((request) => request(call, parameters));
}

/** Runs `work`, which may make several calls to the same venue. */
export async function withVenue<T>(
  work: (call: VenueCall) => Promise<T>,
  options: Partial<OfflineOptions> = {},
): Promise<T> {
  const config = readConfig(process.env);
  const path = controlSocketPath(config.dataDir);
  const running = () => work((call, parameters) => requestAt(path, call, parameters));
  if (await isAnswered(path)) return running();
  // Imported only here, because a call to a running venue needs none of it.
  const { withStoppedVenue } = await import("./stopped-venue.ts");
  return withStoppedVenue(config, options, work, running);
}

/** Returns the result of a call to the venue whose control socket is at `path`; throws its message if it refuses. */
export async function requestAt(path: string, call: string, parameters: object): Promise<unknown> {
  const answer = await callControl(path, call, parameters);
  if (!answer.isOk) throw answer.isUsage ? new WrongValue(answer.error) : new Error(answer.error);
  return answer.result;
}
