// Finds the route of a request: by its path in a view and its method, or by its name in an order session.

import type { Method } from "../server/http-call.ts";
import type { Route } from "./route.ts";
import { compatPrefix, type SurfaceView } from "./surface-view.ts";

/** What answers at a path as requested. */
export interface MountedPath {
  readonly view: SurfaceView;
  readonly methods: Map<Method, Route>;
}

/** The routes of both views, by the path as requested and then by method. */
export type RouteTable = ReadonlyMap<string, MountedPath>;

const prefixes = { root: "", compat: compatPrefix } as const;

/** Mounts the routes in the views that have them. */
export function routeTable(routes: readonly Route[]): RouteTable {
  const table = new Map<string, MountedPath>();
  for (const view of ["root", "compat"] as const) {
    for (const route of routes) {
      if (route.onlyIn !== undefined && route.onlyIn !== view) continue;
      const path = prefixes[view] + route.path;
      const mounted = table.get(path) ?? { view, methods: new Map<Method, Route>() };
      mounted.methods.set(route.method, route);
      table.set(path, mounted);
    }
  }
  return table;
}

/**
 * Routes of the compat view that order sessions can call, keyed by surface and by the method name in a session's
 * request.
 */
export function sessionRoutes(routes: readonly Route[]): ReadonlyMap<string, Route> {
  return new Map(
    routes.flatMap((route) =>
      route.session === undefined
        ? []
        : [[`${route.path.split("/")[1]} ${route.session}`, route] as const],
    ),
  );
}
