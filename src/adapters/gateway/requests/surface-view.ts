// The view through which a call came. The Binance-style surfaces have two views of one venue. The documented paths (the
// root view) answer exactly as specified. The same routes under the prefix (the compat view) answer with Binance's full
// formats where the specification has fewer fields. Limits, keys and state are shared by both views. The native surface
// has one view.

export type SurfaceView = "root" | "compat" | "native";

/** Prefix of every path of the compat view. */
export const compatPrefix = "/compat";

/** Prefix of every path of the native surface. */
export const nativePrefix = "/v1/";

/** First segments of the paths at which programs call; every other path may be a page that somebody opens. */
const apiRoots: readonly string[] = [
  "/api",
  "/sapi",
  "/fapi",
  "/futures",
  compatPrefix,
  "/v1",
  "/ws",
  "/stream",
];
const apiFolders = apiRoots.map((root) => `${root}/`);

/** Whether somebody who opens the path with a browser gets a page, also if there is none. Spec HTP-11. */
export function isPagePath(path: string): boolean {
  return !apiRoots.includes(path) && !apiFolders.some((folder) => path.startsWith(folder));
}
