// GET /v1/version: which program serves here, since when, and what it is among the venue's processes.

import { versionText } from "../../../ports/build-info.ts";
import { openRoute, routeGroup } from "../requests/route.ts";

export const versionRoutes = routeGroup((context) => context)([
  openRoute("GET /v1/version", {
    summary: "Version, commit, start and role of the program that serves here.",
    answer: ({ build, role }) => versionText(build, role()),
  }),
]);
