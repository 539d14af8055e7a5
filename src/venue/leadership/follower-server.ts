// The HTTP server of a venue that follows, at the address where it will serve once it leads. Load balancers and people
// learn its role; everything else answers 503, "not executed".

import { createServer, type Server } from "node:http";
import { type BuildInfo, buildMetric, versionText } from "../../ports/build-info.ts";
import type { LeaseBuffer } from "../../wire/lease-buffer.ts";

export interface FollowerFigures {
  readonly seq: number;
  readonly leader: string;
  readonly epoch: string;
  readonly build: BuildInfo;
}

export class FollowerServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(
    { host, port }: { readonly host: string; readonly port: number },
    lease: LeaseBuffer,
    figures: () => FollowerFigures,
  ): Promise<FollowerServer> {
    const server = createServer((incoming, outgoing) => {
      const [path = ""] = (incoming.url ?? "").split("?");
      const isRead = incoming.method === "GET" || incoming.method === "HEAD";
      const isMetrics = isRead && path === "/metrics";
      const isVersion = isRead && path === "/v1/version";
      const type = isMetrics ? "text/plain; version=0.0.4" : "application/json";
      const status = isMetrics || isVersion ? 200 : 503;
      outgoing.writeHead(status, { "content-type": type, connection: "close" });
      if (isMetrics) outgoing.end(metricsOf(lease, figures()));
      else
        outgoing.end(
          isVersion ? versionText(figures().build, "follower") : bodyOf(path, figures()),
        );
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, resolve);
    });
    return new FollowerServer(server);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

function bodyOf(path: string, { seq, leader, epoch }: FollowerFigures): string {
  if (path === "/health")
    return JSON.stringify({ status: "following", role: "follower", seq, leader, epoch });
  return JSON.stringify({ error: { code: "unavailable", message: "this venue follows another" } });
}

function metricsOf(lease: LeaseBuffer, { build }: FollowerFigures): string {
  const gauges: [name: string, help: string, value: number][] = [
    ["rialto_leader", "1 if this venue leads, 0 if it follows another", 0],
    ["rialto_follower_distance", "Events this follower lacks", lease.distance() ?? 0],
  ];
  const own = gauges
    .map(
      ([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`,
    )
    .join("");
  const { version, commit } = build;
  const labels = `version="${version}",commit="${commit ?? ""}",role="follower"`;
  return `${own}# HELP ${buildMetric.name} ${buildMetric.help}\n# TYPE ${buildMetric.name} gauge\n${buildMetric.name}{${labels}} 1\n`;
}
