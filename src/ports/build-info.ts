// Which program serves, and since when: what /v1/version and the metric rialto_build_info say.

export interface BuildInfo {
  /** The package's version. */
  readonly version: string;
  /** Commit of the sources, as BUILD_COMMIT says; null if it says none. */
  readonly commit: string | null;
  /** When the program was started, by the machine's clock, as ISO 8601. */
  readonly startedAt: string;
  /** Whether market time, history and faults are played on this venue (REW-1). */
  readonly isRewind: boolean;
}

/** What a program is among those of a venue; `single` has no others beside it. */
export type VenueRoleName = "single" | "leader" | "follower" | "gateway";

/** The text of /v1/version. Spec HTP-12, REW-2. */
export function versionText(
  { version, commit, startedAt, isRewind }: BuildInfo,
  role: VenueRoleName,
): string {
  const shown = { version, commit, started_at: startedAt, role };
  return JSON.stringify(isRewind ? { ...shown, rewind: true } : shown);
}

/** The gauge that carries the version of a program in its labels; its value is always 1. */
export const buildMetric = {
  name: "rialto_build_info",
  help: "Always 1; the labels say version, commit and role of the program",
} as const;
