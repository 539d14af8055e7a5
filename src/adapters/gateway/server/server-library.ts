// The HTTP server's library on this system (docs/decisions/0050): the newer build or, without a binary for
// the system or the version of Node.js, the older one, which refuses a request whose first line arrives split
// at certain points. The types are the newer one's; the older exports the same names.

import type * as uWebSockets from "uWebSockets.js";
import { createRequire } from "node:module";

/** The library's type, extended by a function that its typings omit. */
type ServerLibrary = typeof uWebSockets & { _cfg(message: string): void };

interface LoadedLibrary {
  readonly library: ServerLibrary;
  /** Whether the loaded library is the newer build. */
  readonly isNewer: boolean;
}

/** The library's code for omitting its `uWebSockets` header from answers. */
const withoutMark = "999999990007";

/**
 * Loads the newer build, or else the older one; rejects if neither has a binary. The newer one is required,
 * not imported: Node.js 20 ends a process that imports a CommonJS module which throws.
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
