// The network between the hosts of a cluster, and its faults. As root, each host is a network namespace of its own,
// linked to a bridge that is in a namespace too; this process has the only link outside. Namespaces are not named: each
// lasts as long as a sleeping process in it, so that all of it disappears with these processes. Without root, hosts are
// loopback addresses, and a link cannot be cut.
//
//   this process ─ rialto7 ┐
//   pg-a  ─ eth0 ──────────┤ bridge (10.213.7.0/24)
//   pg-b  ─ eth0 ──────────┘

import { execFile, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A namespace outlives its run by at most this many seconds, even if nothing else ends it. */
const lifeSeconds = 7_200;
const subnets = 256;
/** Longest time in ms until `unshare` has made a namespace. */
const namespaceMsMax = 30_000;

export type NetworkKind = "namespaces" | "loopback";

export interface Network {
  readonly kind: NetworkKind;
  /** Gives a new host its address. */
  join(name: string): Promise<string>;
  /** Words in front of a command that runs on the host. */
  within(name: string): readonly string[];
  /** Takes the host's cable out, or puts it back. */
  setLink(name: string, isUp: boolean): Promise<void>;
  /** From now on `to` receives nothing that `from` sends. */
  block(from: string, to: string): Promise<void>;
  /** The host receives each packet with a probability of 1 − `percent` / 100 only; `percent` is an integer. */
  lose(name: string, percent: number): Promise<void>;
  /** Ends all blocks and losses, and puts all cables back. */
  heal(): Promise<void>;
}

/** Opens a network with namespaces if this process may, else one of loopback addresses. */
export async function openNetwork(folder: string): Promise<Network> {
  if (process.getuid?.() === 0) {
    const network = await NamespaceNetwork.open(folder).catch(() => null);
    if (network !== null) return network;
  }
  return new LoopbackNetwork();
}

interface Member {
  /** Id of the process that keeps the namespace. */
  readonly pid: number;
  readonly address: string;
}

class NamespaceNetwork implements Network {
  readonly kind = "namespaces";
  readonly #folder: string;
  readonly #subnet: number;
  readonly #bridge: number;
  readonly #members = new Map<string, Member>();

  private constructor(folder: string, subnet: number, bridge: number) {
    this.#folder = folder;
    this.#subnet = subnet;
    this.#bridge = bridge;
  }

  static async open(folder: string): Promise<NamespaceNetwork> {
    const bridge = await namespaceIn(folder);
    await inside(bridge, "ip", "link", "add", "bridge0", "type", "bridge");
    await inside(bridge, "ip", "link", "set", "bridge0", "up");
    const subnet = await takeSubnet(bridge);
    const network = new NamespaceNetwork(folder, subnet, bridge);
    await inside(bridge, "ip", "link", "set", "outside", "master", "bridge0", "up");
    const outside = `rialto${subnet}`;
    await run("ip", ["address", "add", `10.213.${subnet}.1/24`, "dev", outside]);
    await run("ip", ["link", "set", outside, "up"]);
    return network;
  }

  async join(name: string): Promise<string> {
    const pid = await namespaceIn(this.#folder);
    const address = `10.213.${this.#subnet}.${this.#members.size + 2}`;
    const bridge = String(this.#bridge);
    const ends = ["type", "veth", "peer", "name", name, "netns", bridge];
    await run("ip", ["link", "add", "eth0", "netns", String(pid), ...ends]);
    await inside(this.#bridge, "ip", "link", "set", name, "master", "bridge0", "up");
    await inside(pid, "ip", "address", "add", `${address}/24`, "dev", "eth0");
    for (const link of ["lo", "eth0"]) await inside(pid, "ip", "link", "set", link, "up");
    this.#members.set(name, { pid, address });
    await this.#reset(pid);
    return address;
  }

  /** Gives the namespace an empty table of rules. */
  async #reset(pid: number): Promise<void> {
    const chain = "{ type filter hook input priority 0 ; policy accept ; }";
    await inside(pid, "nft", "flush ruleset");
    await inside(pid, "nft", `add table inet faults; add chain inet faults input ${chain}`);
  }

  within(name: string): readonly string[] {
    return ["nsenter", `--net=/proc/${this.#member(name).pid}/ns/net`, "--"];
  }

  #member(name: string): Member {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`no host ${name}`);
    return member;
  }

  async setLink(name: string, isUp: boolean): Promise<void> {
    // The bridge's end goes down, so the host sees a cable without a signal and keeps its address and routes.
    await inside(this.#bridge, "ip", "link", "set", name, isUp ? "up" : "down");
  }

  async block(from: string, to: string): Promise<void> {
    const { address } = this.#member(from);
    const { pid } = this.#member(to);
    await inside(pid, "nft", `add rule inet faults input ip saddr ${address} drop`);
  }

  async lose(name: string, percent: number): Promise<void> {
    const { pid } = this.#member(name);
    await inside(
      pid,
      "nft",
      `add rule inet faults input iifname eth0 numgen random mod 100 < ${percent} drop`,
    );
  }

  async heal(): Promise<void> {
    for (const [name, { pid }] of this.#members) {
      await this.#reset(pid);
      await this.setLink(name, true);
    }
  }
}

/** Starts a process that keeps a new network namespace; returns its id once the namespace is there. */
async function namespaceIn(folder: string): Promise<number> {
  const place = join(folder, "namespaces");
  await mkdir(place, { recursive: true });
  const child = spawn("unshare", ["--net", "--", "sleep", String(lifeSeconds)], {
    cwd: place,
    detached: true,
    stdio: "ignore",
  });
  child.on("error", () => undefined);
  child.unref();
  const { pid } = child;
  if (pid === undefined) throw new Error("unshare cannot be started");
  const own = await run("readlink", ["/proc/self/ns/net"]);
  const endMs = performance.now() + namespaceMsMax;
  while (performance.now() < endMs && child.exitCode === null) {
    const { stdout } = await run("readlink", [`/proc/${pid}/ns/net`]).catch(() => own);
    if (stdout !== own.stdout) return pid;
    await sleep(5);
  }
  throw new Error("no network namespace can be made");
}

/** Links this process's network to the bridge under the first free name, which also claims its subnet. */
async function takeSubnet(bridge: number): Promise<number> {
  const first = process.pid % subnets;
  let reason: unknown = null;
  for (let step = 0; step < subnets; step += 1) {
    const subnet = (first + step) % subnets;
    const ends = ["type", "veth", "peer", "name", "outside", "netns", String(bridge)];
    try {
      await run("ip", ["link", "add", `rialto${subnet}`, ...ends]);
      return subnet;
    } catch (error) {
      reason = error;
    }
  }
  throw new Error("no network can be linked to this one", { cause: reason });
}

async function inside(pid: number, program: string, ...args: string[]): Promise<void> {
  await run("nsenter", [`--net=/proc/${pid}/ns/net`, "--", program, ...args]);
}

class LoopbackNetwork implements Network {
  readonly kind = "loopback";
  readonly #subnet = process.pid % subnets;
  #hosts = 0;

  async join(): Promise<string> {
    this.#hosts += 1;
    return `127.213.${this.#subnet}.${this.#hosts + 1}`;
  }

  within(): readonly string[] {
    return [];
  }

  setLink(): Promise<void> {
    return refuse();
  }

  block(): Promise<void> {
    return refuse();
  }

  lose(): Promise<void> {
    return refuse();
  }

  heal(): Promise<void> {
    return Promise.resolve();
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error("links can be cut only between namespaces, which need root"));
}
