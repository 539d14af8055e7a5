// The HTTP server's library on this system (docs/decisions/0050). It is the newer build if that has a binary for the
// system and the version of Node.js, otherwise the older build. The older build refuses a request whose first line
// arrives split at certain points. The types are those of the newer build; the older build exports the same names.

import type * as uWebSockets from "uWebSockets.js";
import { createRequire } from "node:module";

/** The library's type, extended by a function that its typings omit. */
export type ServerLibrary = typeof uWebSockets & { _cfg(message: string): void };

interface LoadedLibrary {
  readonly library: ServerLibrary;
  /** True if the loaded library is the newer build. */
  readonly isNewer: boolean;
}

/** Setting of the library that omits its `uWebSockets` header from answers. */
const withoutMark = "999999990007";

/**
 * Loads the newer build, or the older build if that fails; rejects if neither has a binary. The newer build is loaded
 * with `require`, not `import`: Node.js 20 ends a process that imports a CommonJS module which throws.
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
