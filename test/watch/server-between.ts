// A server between a watcher and a venue, which passes answers on or changes them, as a venue would that lies to some.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { HeadSigner } from "../../src/services/access/signed-head.ts";
import type { Json } from "../support/client/json.ts";

/** Answers a request for `path` itself; returns false to pass it on. */
export type Reply = (path: string, answer: ServerResponse) => Promise<boolean> | boolean;

const passOn: Reply = () => false;

export class ServerBetween {
  readonly #server: Server;
  /** May be replaced at any time. */
  reply: Reply = passOn;
  /** Paths that were requested. */
  readonly asked: string[] = [];

  private constructor(venue: string) {
    this.#server = createServer((request, answer) => {
      const path = request.url ?? "";
      this.asked.push(path);
      void this.#answer(venue, path, answer);
    });
  }

  static async open(venue: string): Promise<ServerBetween> {
    const between = new ServerBetween(venue);
    await once(between.#server.listen(0, "127.0.0.1"), "listening");
    return between;
  }

  get address(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(venue: string, path: string, answer: ServerResponse): Promise<void> {
    if (await this.reply(path, answer)) return;
    const real = await fetch(venue + path).catch(() => null);
    if (real === null) answer.destroy();
    else answer.writeHead(real.status).end(await real.text());
  }
}

/** Sends JSON. */
export function send(answer: ServerResponse, document: object, status = 200): true {
  answer.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
  return true;
}

/** Answers as a venue would that had sealed other content from epoch `from` on, and signs it if it has the key. */
export function rewritten(venue: string, from: number, signer: HeadSigner | null): Reply {
  return async (path, answer) => {
    const { pathname, searchParams } = new URL(path, venue);
    const wanted = searchParams.get("epoch");
    if (pathname === "/v1/chain/epochs") {
      const items = await otherEpochs(venue, from);
      const cursor = Number(searchParams.get("cursor") ?? Number.MAX_SAFE_INTEGER);
      const page = items.filter(({ epoch }) => Number(epoch) < cursor);
      return send(answer, { items: page.slice(0, Number(searchParams.get("limit"))) });
    }
    if (pathname !== "/v1/chain/head" || signer === null) return false;
    const one = (await otherEpochs(venue, from)).find(({ epoch }) => epoch === wanted);
    if (one === undefined) return send(answer, {}, 404);
    const { venue: name, epoch, root, prev_root, end_ms: time } = one;
    return send(answer, signer.sign({ venue: name, epoch, root, prev_root, time }));
  };
}

/** The venue's epochs, newest first; those from `from` on have another Merkle root, and all headers and links are right. */
async function otherEpochs(venue: string, from: number): Promise<Json[]> {
  const real = await fetch(`${venue}/v1/chain/epochs?limit=1000`);
  const { items } = (await real.json()) as { items: Json[] };
  const ascending = items.reverse();
  for (const [at, item] of ascending.entries()) {
    if (Number(item.epoch) < from) continue;
    item.merkle_root = "ab".repeat(32);
    if (at > 0) item.prev_root = ascending[at - 1]?.root;
    item.root = rootOf(item);
  }
  return ascending.reverse();
}

/** The hash of an epoch's header by the published encoding. */
function rootOf(epoch: Json): string {
  const names = "epoch start_ms end_ms first_seq last_seq journal_count fill_count".split(" ");
  const numbers = Buffer.alloc(8 * names.length);
  for (const [at, name] of names.entries()) numbers.writeBigUInt64BE(BigInt(epoch[name]), 8 * at);
  const venue = Buffer.from(epoch.venue);
  const hashes = Buffer.from(epoch.merkle_root + epoch.prev_root, "hex");
  const start = Buffer.concat([Buffer.of(2), Buffer.from("VEH1"), Buffer.of(venue.length), venue]);
  return createHash("sha256").update(start).update(numbers).update(hashes).digest("hex");
}
