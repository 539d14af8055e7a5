// Checks that every commit of a session waits for a synchronous standby. A server without the settings for that would
// acknowledge commits that only it has.

import { PostgresFault } from "./postgres-fault.ts";

/**
 * The first minor releases, as in server_version_num, in which a commit during the server's start cannot skip the wait
 * for the standby (PostgreSQL commit 2e57790836). Major versions from 18 never had the fault.
 */
const waitsFromStart: ReadonlyMap<number, number> = new Map([
  [15, 150_013],
  [16, 160_009],
  [17, 170_005],
]);

interface ReplicationFacts {
  readonly version: string;
  readonly commit: string;
  readonly names: string;
}

/** Runs a text without parameters in the session that is checked. */
type RunText = (text: string) => Promise<readonly object[]>;

/** Throws a PostgresFault `unfit` unless every commit of this session waits for a synchronous standby. */
export async function checkReplication(run: RunText): Promise<void> {
  const fault = await replicationFaultOf(run);
  if (fault !== null) throw new PostgresFault("unfit", `SYNCHRONOUS_STANDBY=required: ${fault}`);
}

/** Returns why commits of this session may exist on one server only; null if they cannot. */
export async function replicationFaultOf(run: RunText): Promise<string | null> {
  const [facts] = (await run(
    `select current_setting('server_version_num') as version,
            current_setting('synchronous_commit') as commit,
            current_setting('synchronous_standby_names') as names`,
  )) as ReplicationFacts[];
  const { version = "0", commit = "", names = "" } = facts ?? {};
  return replicationFault(Number(version), commit, names);
}

/** Returns why commits under these settings may exist on one server only; null if they cannot. */
export function replicationFault(version: number, commit: string, names: string): string | null {
  if (commit !== "on") return `the session has synchronous_commit = ${commit}, it must be on`;
  if (names.trim() === "")
    return "synchronous_standby_names is empty, so no commit waits for a standby: name the standbys on the server";
  const needed = waitsFromStart.get(Math.floor(version / 10_000)) ?? 0;
  if (version >= needed) return null;
  const [major, minor] = [Math.floor(needed / 10_000), needed % 10_000];
  return `commits may skip the standby while this server starts: update it to ${major}.${minor} or newer`;
}
