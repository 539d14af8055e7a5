// Findings of `doctor` about the machine: Node.js, the HTTP server's native module, clock and disk. The caller
// reads the values, so that tests can cover any machine.

import { diskKind, problem, problemKinds } from "../../../ports/venue-problems.ts";
import { type Finding, fault, findingOf, ok, warning } from "./finding.ts";

const nodeMin = { major: 20, minor: 19 } as const;
/** The HTTP server's native modules exist for Node.js versions up to this one. */
const nodeTestedMax = 22;

/** `version` as in "20.19.0". */
export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const found = `Node.js ${version}`;
  const isOld = major < nodeMin.major || (major === nodeMin.major && minor < nodeMin.minor);
  if (isOld) {
    const oldest = `${nodeMin.major}.${nodeMin.minor}`;
    return fault("node", found, `install Node.js ${oldest} or newer, up to ${nodeTestedMax}`);
  }
  if (major <= nodeTestedMax) return ok("node", found);
  return warning("node", found, `the HTTP server is tested up to Node.js ${nodeTestedMax}`);
}

/** Checks whether the HTTP server's native module loads: it is built for one system, processor and Node.js version. */
export async function serverFinding(
  load: () => Promise<{ readonly isNewer: boolean }>,
): Promise<Finding> {
  try {
    const { isNewer } = await load();
    if (isNewer) return ok("http server", "the native module loads");
    const found = "an older native module loads; the newer one is not installed";
    return warning("http server", found, "run npm install on this machine with this Node.js");
  } catch (error) {
    const mend =
      "run npm install on this machine; the native module exists for Linux, macOS and Windows";
    return fault("http server", String(error), mend);
  }
}

/** Checks the clock: if it is earlier than the program's build, it was never set, or was set back. */
export function clockFinding(now: Date, builtAt: Date): Finding {
  if (now >= builtAt) return ok("clock", now.toISOString());
  const found = `${now.toISOString()}, earlier than this program's build`;
  return fault("clock", found, "set the machine's clock and synchronise it with NTP");
}

/** `differenceS`: seconds by which the machine's clock is ahead of the venue's time; null if the clock is trusted. */
export function stepFinding(differenceS: number | null): Finding {
  if (differenceS === null) return ok("venue clock", "the machine's clock is trusted");
  const side = differenceS > 0 ? "ahead of" : "behind";
  const found = `the machine's clock is ${Math.abs(differenceS).toFixed(1)} s ${side} the venue's time`;
  return fault(
    "venue clock",
    found,
    "correct it; if it is right, run 'rialto clock accept' or start with --accept-clock",
  );
}

/** `freeBytes`: free space for DATA_DIR on a disk of `sizeBytes`. */
export function diskFinding(freeBytes: number, sizeBytes: number): Finding {
  const free = `${(freeBytes / 2 ** 30).toFixed(1)} GiB`;
  const kind = diskKind(freeBytes, sizeBytes);
  if (kind === null) return ok("disk", `${free} free`);
  const { severity, text } = problem(kind, free);
  return findingOf("disk", severity, text, problemKinds[kind].mend);
}
