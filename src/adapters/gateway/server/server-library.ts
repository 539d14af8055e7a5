// The HTTP server's library on this system (docs/decisions/0050): the newer build, and where that has no
// binary for the system or the version of Node.js, the older one, which refuses a request whose first line
// comes in certain two pieces. The types are the newer one's; the older exports the same names.

import type * as uWebSockets from "uWebSockets.js";
import { createRequire } from "node:module";

/** With a function that the library has and its typings leave out. */
type ServerLibrary = typeof uWebSockets & { _cfg(message: string): void };

interface LoadedLibrary {
  readonly library: ServerLibrary;
  /** Whether it is the newer build. */
  readonly isNewer: boolean;
}

/** Asks the library to leave its own mark, the header `uWebSockets`, out of answers; its words for that. */
const withoutMark = "999999990007";

/**
 * Loads the newer build, or the older where there is none; rejects where neither has a binary. The newer one is
 * required, not imported: Node.js 20 ends a process whose import meets a module of the older kind that throws.
 */
export async function loadServerLibrary(
  requireNewer: () => unknown = () => createRequire(import.meta.url)("uWebSockets.js"),
): Promise<LoadedLibrary> {
  const loaded = await newerOrOlder(requireNewer);
  loaded.library._cfg(withoutMark);
  return loaded;
}

async function newerOrOlder(requireNewer: () => unknown): Promise<LoadedLibrary> {
  try {
    return { library: requireNewer() as ServerLibrary, isNewer: true };
  } catch {
    return { library: (await import("uws-pack")) as unknown as ServerLibrary, isNewer: false };
  }
}
