// The clients in other languages that the tests run against a venue: name, published packages with versions, and how
// the driver starts. The language's own tool downloads all packages, as pinned by files next to the driver.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";
import type { Command } from "./driver-process.ts";
import { cargoDriver, goDriver, mavenDriver, pythonDriver } from "./driver-tools.ts";

export interface OutsideClient {
  readonly title: string;
  readonly language: string;
  /** The driver's folder below test/clients. */
  readonly folder: string;
  /** The client's published packages, each with its version. */
  readonly packages: readonly string[];
  readonly timeoutMs: number;
  /**
   * Downloads and builds what is missing, and returns the command that starts the driver. Throws with a message that
   * names what the user has to install.
   */
  prepare(): Promise<Command>;
}

const minuteMs = 60_000;

function python(title: string, folder: string, names: readonly string[]): OutsideClient {
  const requirements = `test/clients/${folder}/requirements.txt`;
  const pinned = readFileSync(join(projectRoot, requirements), "utf8").split("\n");
  const packages = names.map((name) => {
    const line = pinned.find((one) => one.toLowerCase().startsWith(`${name}==`));
    if (line === undefined) throw new Error(`${requirements} does not pin ${name}`);
    return line.replace("==", " ");
  });
  return {
    title,
    language: "Python",
    folder,
    packages,
    timeoutMs: 15 * minuteMs,
    prepare: () => pythonDriver(folder),
  };
}

/** Returns the name and version of the package in the first line of `file` that matches `form`. */
function pinned(file: string, form: RegExp): string {
  const text = readFileSync(join(projectRoot, "test/clients", file), "utf8");
  const [, name, version] = form.exec(text) ?? [];
  if (name === undefined) throw new Error(`${file} has no pinned version of the form ${form}`);
  return `${name} ${version}`;
}

const crate = /^(nautilus-binance) = "=(\S+)"$/m;
const goModule = /^require (\S+) v(\S+)$/m;
const spotArtifact = /<artifactId>(binance-connector-java)<\/artifactId>\s*<version>(\d+\.\S+)</;
const futuresArtifact =
  /<artifactId>(binance-futures-connector-java)<\/artifactId>\s*<version>(\S+)</;

export const outsideClients: readonly OutsideClient[] = [
  python("ccxt and ccxt.pro", "ccxt", ["ccxt"]),
  python("python-binance", "python-binance", ["python_binance"]),
  python("Binance's SDKs for Python", "binance-sdk", [
    "binance-sdk-spot",
    "binance-sdk-derivatives-trading-usds-futures",
  ]),
  python("UNICORN Binance Local Depth Cache", "unicorn-depth-cache", [
    "unicorn-binance-local-depth-cache",
  ]),
  python("hummingbot", "hummingbot", ["hummingbot"]),
  python("NautilusTrader", "nautilus", ["nautilus_trader"]),
  {
    title: "NautilusTrader in Rust",
    language: "Rust",
    folder: "nautilus-rust",
    packages: [pinned("nautilus-rust/Cargo.toml", crate)],
    timeoutMs: 15 * minuteMs,
    prepare: () => cargoDriver("nautilus-rust"),
  },
  {
    title: "go-binance",
    language: "Go",
    folder: "go-binance",
    packages: [pinned("go-binance/go.mod", goModule)],
    timeoutMs: 10 * minuteMs,
    prepare: () => goDriver("go-binance"),
  },
  {
    title: "Binance's connectors for Java",
    language: "Java",
    folder: "binance-connector-java",
    packages: [spotArtifact, futuresArtifact].map((form) =>
      pinned("binance-connector-java/pom.xml", form),
    ),
    timeoutMs: 10 * minuteMs,
    prepare: () => mavenDriver("binance-connector-java", "clients.Driver"),
  },
  python("freqtrade", "freqtrade", ["freqtrade", "ccxt"]),
];
