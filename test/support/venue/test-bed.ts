// A test bed as a process of its own, whose program is a file that a test may change: another file is another build.

import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callControl } from "../../../src/adapters/runtime/control-socket.ts";
import type { ShownVenue } from "../../../src/venue/testbed/testbed.ts";
import { CliProcess } from "./cli-process.ts";

const cli = new URL("../../../bundle/src/venue/rialto.js", import.meta.url);
export const cliFile = fileURLToPath(cli);

export class TestBedFixture {
  readonly home: string;
  #bed: CliProcess | null = null;
  #control = "";

  static async open(): Promise<TestBedFixture> {
    const fixture = new TestBedFixture(await mkdtemp(join(tmpdir(), "rialto-bed-")));
    await writeFile(fixture.program, `import "${cli.href}";\n`);
    return fixture;
  }

  private constructor(home: string) {
    this.home = home;
  }

  get program(): string {
    return join(this.home, "rialto.mjs");
  }

  get folder(): string {
    return join(this.home, "bed");
  }

  /** Makes the program another build. */
  async rebuild(): Promise<void> {
    await appendFile(this.program, "// another build\n");
  }

  /** Starts a process that is or wants to be the test bed of the folder. */
  begin(...options: readonly string[]): CliProcess {
    const words = ["testbed", "--folder", this.folder, "--json", ...options];
    return new CliProcess(words, {}, this.home, this.program);
  }

  async start(...options: readonly string[]): Promise<CliProcess> {
    this.#bed = this.begin(...options);
    const [, control = ""] = await this.#bed.untilPrinted(/"control": "([^"]+)"[\s\S]*\n\}/);
    this.#control = control;
    return this.#bed;
  }

  async call<Shape>(name: string, request: object = {}): Promise<Shape> {
    return callAt(this.#control, name, request);
  }

  openVenue(request: object = {}): Promise<ShownVenue> {
    return this.call("venues/open", request);
  }

  async close(): Promise<void> {
    this.#bed?.signal("SIGTERM");
    await this.#bed?.ended;
    await rm(this.home, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Calls a control socket; throws with its refusal. */
export async function callAt<Shape>(
  control: string,
  name: string,
  request: object = {},
): Promise<Shape> {
  const { isOk, result, error } = await callControl(control, name, request);
  if (!isOk) throw new Error(error);
  return result as Shape;
}
