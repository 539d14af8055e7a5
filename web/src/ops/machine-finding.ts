// What the operations page says about the program and its machine: version, role, uptime, processor, memory and disk.
// Pure functions.

import { durationText, type Finding, perSecond, toldOf, windowOf } from "./findings.ts";
import type { Sample, Version } from "./samples.ts";

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes as readable text, with at most one decimal. */
export function bytesText(bytes: number | undefined): string {
  if (bytes === undefined || !Number.isFinite(bytes)) return "–";
  const power = Math.min(
    units.length - 1,
    Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)),
  );
  const value = bytes / 1024 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** How long the program has run, such as "3 d 4 h" or "12 min". */
function uptimeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min` : durationText(Math.max(0, seconds));
}

/** Share of all processors that the program used over the last samples; "–" before the second one of the process. */
function processorText(samples: readonly Sample[]): string {
  const window = windowOf(samples);
  if (window === null) return "–";
  const { from, to } = window;
  const name = "rialto_process_cpu_seconds_total";
  const used = perSecond(window, from.metrics.sum(name), to.metrics.sum(name));
  const processors = to.metrics.one("rialto_machine_processors") ?? 1;
  return used === undefined ? "–" : `${((100 * used) / processors).toFixed(1)} % of ${processors}`;
}

/** Returns a finding about the program and its machine; `nowMs` is the machine's time as the page knows it. */
export function machineFinding(
  samples: readonly Sample[],
  version: Version | null,
  nowMs: number,
): Finding {
  const newest = samples.at(-1);
  const metrics = newest?.metrics;
  const [free, size] = [metrics?.one("rialto_disk_free_bytes"), metrics?.one("rialto_disk_bytes")];
  const problems = newest === undefined ? [] : toldOf(newest, "disk_full", "disk_low");
  const load = metrics?.one("rialto_machine_load");
  const uptime =
    version === null ? "–" : uptimeText((nowMs - Date.parse(version.started_at)) / 1000);
  const commit = version?.commit?.slice(0, 12) ?? null;
  const name =
    version === null ? "–" : `${version.version}${commit === null ? "" : ` (${commit})`}`;
  return {
    title: "Program",
    problems,
    message: `Running for ${uptime} as ${roleText(version)}.${problems.length > 0 ? " A full disk stops the journal." : ""}`,
    figures: [
      ["Version", name],
      ["Uptime", uptime],
      ["Role", version?.role ?? "–"],
      ["Processor", processorText(samples)],
      ["Load of the machine", load?.toFixed(2) ?? "–"],
      ["Memory", bytesText(metrics?.one("rialto_process_memory_bytes"))],
      ["Disk free", `${bytesText(free)} of ${bytesText(size)}`],
    ],
  };
}

function roleText(version: Version | null): string {
  const said = {
    single: "the only venue on its database",
    leader: "the leader of several venues",
    follower: "a follower",
    gateway: "a gateway of a venue elsewhere",
  } as const;
  return version === null ? "a program of unknown version" : said[version.role];
}
