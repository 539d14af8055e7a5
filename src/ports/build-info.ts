// Which program serves, and since when: what /v1/version and the metric rialto_build_info say.

export interface BuildInfo {
  /** The package's version. */
  readonly version: string;
  /** Commit of the sources, as BUILD_COMMIT says; null if it says none. */
  readonly commit: string | null;
  /** Start of the process, by the machine's clock. */
  readonly startedAtMs: number;
}

/** What a process is among those of a venue; `single` has no others beside it. */
export type VenueRoleName = "single" | "leader" | "follower" | "gateway";

/** The text of /v1/version. Spec HTP-12. */
export function versionText(
  { version, commit, startedAtMs }: BuildInfo,
  role: VenueRoleName,
): string {
  const started_at = new Date(Math.floor(startedAtMs)).toISOString();
  return JSON.stringify({ version, commit, started_at, role });
}

/** The gauge that carries the version of a process in its labels; its value is always 1. */
export const buildMetric = {
  name: "rialto_build_info",
  help: "Always 1; the labels say version, commit and role of the process",
} as const;
