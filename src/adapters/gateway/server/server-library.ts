// The HTTP server's library on this system (docs/decisions/0050): the newer build, and where that has no
// binary for the system or the version of Node.js, the older one, which refuses a request whose first line
// comes in certain two pieces. The types are the newer one's; the older exports the same names.

import type * as uWebSockets from "uWebSockets.js";

/** With a function that the library has and its typings leave out. */
type ServerLibrary = typeof uWebSockets & { _cfg(words: string): void };

interface LoadedLibrary {
  readonly library: ServerLibrary;
  /** Whether it is the newer build. */
  readonly isNewer: boolean;
}

/** Asks the library to leave its own mark, the header `uWebSockets`, out of answers; its words for that. */
const withoutMark = "999999990007";

/** Loads the newer build, or the older where there is none; rejects where neither has a binary. */
export async function loadServerLibrary(): Promise<LoadedLibrary> {
  const loaded = await newerOrOlder();
  loaded.library._cfg(withoutMark);
  return loaded;
}

async function newerOrOlder(): Promise<LoadedLibrary> {
  try {
    return { library: (await import("uWebSockets.js")) as ServerLibrary, isNewer: true };
  } catch {
    return { library: (await import("uws-pack")) as unknown as ServerLibrary, isNewer: false };
  }
}
