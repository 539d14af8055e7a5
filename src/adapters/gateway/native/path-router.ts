// Paths with names in them, found segment by segment. A fixed segment wins over a name, so that
// `/v1/orders/me` is never an order called `me`.

import type { Method } from "../server/http-call.ts";
import type { NativeRoute } from "./native-route.ts";

interface PathNode {
  readonly fixed: Map<string, PathNode>;
  named: { readonly name: string; readonly node: PathNode } | null;
  readonly routes: Map<Method, NativeRoute>;
}

/** A route and the values of the names in its path. */
export interface FoundRoute {
  readonly route: NativeRoute;
  readonly path: Readonly<Record<string, string>>;
}

function emptyNode(): PathNode {
  return { fixed: new Map(), named: null, routes: new Map() };
}

/** The text behind percent signs, or null for what is none. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

export class PathRouter {
  readonly #root = emptyNode();

  constructor(routes: readonly NativeRoute[]) {
    for (const route of routes) this.#add(route);
  }

  /** The route of a method and path; undefined if there is none. */
  find(method: Method, path: string): FoundRoute | undefined {
    const found = this.#nodeOf(path);
    const route = found?.node.routes.get(method);
    return found === undefined || route === undefined ? undefined : { route, path: found.path };
  }

  /** Methods that have a route at the path. */
  methodsOf(path: string): Method[] {
    return [...(this.#nodeOf(path)?.node.routes.keys() ?? [])];
  }

  #nodeOf(path: string): { node: PathNode; path: FoundRoute["path"] } | undefined {
    const values: Record<string, string> = {};
    let node = this.#root;
    for (const segment of path.split("/")) {
      const fixed = node.fixed.get(segment);
      if (fixed !== undefined) {
        node = fixed;
        continue;
      }
      const value = node.named === null || segment === "" ? null : decoded(segment);
      if (node.named === null || value === null) return undefined;
      values[node.named.name] = value;
      node = node.named.node;
    }
    return { node, path: values };
  }

  #add(route: NativeRoute): void {
    let node = this.#root;
    for (const segment of route.path.split("/")) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) {
        const next = node.fixed.get(segment) ?? emptyNode();
        node.fixed.set(segment, next);
        node = next;
      } else {
        node.named ??= { name, node: emptyNode() };
        node = node.named.node;
      }
    }
    node.routes.set(route.method, route);
  }
}
