// `doctor` on the venues that share a database: who leads, how old the lease is, and how far the followers are.

import type { Sql } from "../../../adapters/postgres/connection.ts";
import {
  followerFacts,
  leaderFacts,
} from "../../../adapters/postgres/queries/operations/cluster-facts.ts";
import { type Finding, ok, warning } from "./finding.ts";

/** A follower reports twice a second; one that has not for this long has ended. */
const followerMsMax = 5_000;
/** A follower is normally some commits behind; more means that it cannot take over at once. */
const distanceMax = 10_000;

export async function leaderFinding(sql: Sql): Promise<Finding> {
  const check = "leader";
  const { holder, address, epoch, ageMs, leaseMs, isConnected } = await leaderFacts(sql);
  if (holder === "")
    return warning(check, "no venue leads", "start a venue with ROLE=auto on this database");
  const age = `${(ageMs / 1000).toFixed(1)} s`;
  const who = `${address}, writer epoch ${epoch}`;
  if (ageMs <= leaseMs) return ok(check, `${who}; lease of ${leaseMs} ms, renewed ${age} ago`);
  const state = isConnected ? "has a session, but its lease" : "has no session, and its lease";
  return warning(
    check,
    `${who} ${state} was renewed ${age} ago and has run out`,
    "start a venue with ROLE=auto, or look into the log of the venues that run",
  );
}

export async function followersFinding(sql: Sql): Promise<Finding> {
  const check = "followers";
  const followers = (await followerFacts(sql)).filter(({ ageMs }) => ageMs <= followerMsMax);
  if (followers.length === 0)
    return warning(
      check,
      "none: nobody takes over when the leader is lost",
      "start a second venue with the same settings on another machine",
    );
  const found = followers
    .map(({ address, distance }) => `${address}, ${distance} events behind`)
    .join("; ");
  const [nearest] = followers;
  if ((nearest?.distance ?? 0) <= distanceMax) return ok(check, found);
  return warning(check, found, "wait until a follower has caught up before you hand over");
}
