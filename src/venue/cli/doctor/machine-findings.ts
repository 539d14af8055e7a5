// What `doctor` says of the machine, from what was read of it: its Node.js, the binary of the HTTP server, its
// clock and its disk. Nothing is read here, so that a machine nobody has can be judged too.

import { type Finding, fault, ok, warning } from "./finding.ts";

const nodeMin = { major: 20, minor: 19 } as const;
/** The binaries of the HTTP server exist up to this version. */
const nodeTestedMax = 22;
/** What the database's log alone may take. */
const diskBytesMin = 2 * 2 ** 30;

/** Of a version such as "20.19.0". */
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

/** Whether the server's module loads: its binary is of one system, processor and version of Node.js. */
export async function serverFinding(
  load: () => Promise<{ readonly isNewer: boolean }>,
): Promise<Finding> {
  try {
    const { isNewer } = await load();
    if (isNewer) return ok("http server", "its binary loads");
    const found = "its older binary loads; the newer one is not installed";
    return warning("http server", found, "run npm install on this machine with this Node.js");
  } catch (error) {
    const mend = "run npm install on this machine; the binary exists for Linux, macOS and Windows";
    return fault("http server", String(error), mend);
  }
}

/** A clock behind the moment the program was built was never set, or was set back. */
export function clockFinding(now: Date, builtAt: Date): Finding {
  if (now >= builtAt) return ok("clock", now.toISOString());
  const found = `${now.toISOString()}, before this program was built`;
  return fault("clock", found, "set the machine's clock and keep it with NTP");
}

/** What the machine's clock is ahead of the time that the venue knows of; null where it is believed. */
export function stepFinding(differenceS: number | null): Finding {
  if (differenceS === null) return ok("venue clock", "the machine's clock is believed");
  const found = `the machine's clock was set ${differenceS.toFixed(1)} s away from the venue's time`;
  return fault(
    "venue clock",
    found,
    "set it back, or if it is right: rialto clock accept, or start with --accept-clock",
  );
}

/** Of the bytes that are free for DATA_DIR. */
export function diskFinding(freeBytes: number): Finding {
  const found = `${(freeBytes / 2 ** 30).toFixed(1)} GiB free`;
  if (freeBytes >= diskBytesMin) return ok("disk", found);
  return fault("disk", found, "make room: the database's log alone takes up to 2 GiB");
}
