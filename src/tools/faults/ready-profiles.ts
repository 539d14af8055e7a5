// The fault profiles that come with the program, and how a profile's file is read: with errors that name the field.

import { dirname, resolve } from "node:path";
import { type FaultProfile, faultProfile } from "../../../schemas/fault-profile.ts";
import { FileFault, jsonOf, parsed, textOf } from "../json-file/json-file.ts";
import badDay from "./profiles/bad-day.json" with { type: "json" };
import flakyAnswers from "./profiles/flaky-answers.json" with { type: "json" };
import gappyStreams from "./profiles/gappy-streams.json" with { type: "json" };
import outage from "./profiles/outage.json" with { type: "json" };
import rateStorm from "./profiles/rate-storm.json" with { type: "json" };
import reconnects from "./profiles/reconnects.json" with { type: "json" };
import skewedClock from "./profiles/skewed-clock.json" with { type: "json" };
import slowVenue from "./profiles/slow-venue.json" with { type: "json" };
import staleBook from "./profiles/stale-book.json" with { type: "json" };

export const readyProfiles: readonly FaultProfile[] = [
  ...[flakyAnswers, slowVenue, rateStorm, staleBook],
  ...[gappyStreams, reconnects, skewedClock, outage, badDay],
].map((profile) => faultProfile.parse(profile));

/** Returns the ready profile of this name, or the profile in the file at this path; throws a FileFault. */
export function readProfile(nameOrPath: string): FaultProfile {
  const ready = readyProfiles.find(({ name }) => name === nameOrPath);
  if (ready !== undefined) return ready;
  if (!/[/.]/.test(nameOrPath)) {
    const names = readyProfiles.map(({ name }) => name).join(", ");
    throw new FileFault(`no profile ${nameOrPath}: expected a file, or one of ${names}`);
  }
  const profile = withTraces(jsonOf(nameOrPath), dirname(nameOrPath));
  return parsed(faultProfile, profile, { where: nameOrPath, what: "the profile" });
}

type Json = Readonly<Record<string, unknown>>;

/** Replaces each `trace_file` of a delay, a file with one delay in ms per line, by the delays in it. */
function withTraces(profile: unknown, folder: string): unknown {
  const { faults } = (profile ?? {}) as Json;
  if (!Array.isArray(faults)) return profile;
  return { ...(profile as Json), faults: faults.map((fault) => withTrace(fault, folder)) };
}

function withTrace(fault: unknown, folder: string): unknown {
  const { delay } = (fault ?? {}) as Json;
  const { trace_file: file, ...rest } = (delay ?? {}) as Json;
  if (typeof file !== "string") return fault;
  const lines = textOf(resolve(folder, file)).split(/\s+/);
  const delays = lines.filter((line) => line !== "").map(Number);
  return { ...(fault as Json), delay: { ...rest, trace_ms: delays } };
}
