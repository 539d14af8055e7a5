// Runs a command of the venue's own command line beside the test.

import { spawn } from "node:child_process";
import { RialtoTestError } from "./control-call.js";

/** How long a command that was told to end may take. */
const endMsMax = 15_000;

/** `{ requoteMs: 100, skipBad: true, source: ["a", "b"] }` as `--requote-ms 100 --skip-bad --source a --source b`. */
export function optionWords(options) {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === null || value === false) return [];
    if (value === true) return [flag];
    return [value].flat().flatMap((one) => [flag, String(one)]);
  });
}

/** A command that runs. */
export class RunningCommand {
  #child;
  #result;

  /** `command` is the program and its first arguments; `environment` names the venue. */
  constructor(command, environment, words) {
    const [program, ...first] = command;
    const env = { ...process.env, ...environment };
    const stdio = ["ignore", "pipe", "pipe"];
    this.#child = spawn(program, [...first, ...words, "--json"], { env, stdio });
    this.#result = resultOf(this.#child, words[0]);
    // Its failure is told to whoever asks for the result.
    this.#result.catch(() => undefined);
  }

  /** What it printed as JSON, when it has ended; throws a RialtoTestError with its complaint if it failed. */
  result() {
    return this.#result;
  }

  /** Lets it end as on Ctrl-C, and returns its result. */
  async stop() {
    this.#child.kill("SIGINT");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), endMsMax);
    try {
      return await this.#result;
    } finally {
      clearTimeout(late);
    }
  }
}

function resultOf(child, name) {
  let [printed, complained] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    printed += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complained += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) {
        try {
          resolve(printed.trim() === "" ? null : JSON.parse(printed));
        } catch {
          reject(new RialtoTestError(`rialto ${name} printed no JSON: ${printed.slice(0, 200)}`));
        }
      } else reject(new RialtoTestError(`rialto ${name}: ${complained.trim() || printed.trim()}`));
    });
  });
}
