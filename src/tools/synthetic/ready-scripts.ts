// The scripts of made markets that come with the program, and how a script becomes what is played: parameters are set, the
// agents of all phases are completed by those of each, and every error names the field.

import {
  type MarketScript,
  type MarketScriptFile,
  marketScript,
  marketScriptFile,
} from "../../../schemas/market-script.ts";
import { FileFault, jsonOf, parsed } from "../json-file/json-file.ts";
import calm from "./scripts/calm.json" with { type: "json" };
import flashCrash from "./scripts/flash-crash.json" with { type: "json" };
import gapOpen from "./scripts/gap-open.json" with { type: "json" };
import liquidationCascade from "./scripts/liquidation-cascade.json" with { type: "json" };
import oneSided from "./scripts/one-sided.json" with { type: "json" };
import thinNight from "./scripts/thin-night.json" with { type: "json" };
import trending from "./scripts/trending.json" with { type: "json" };
import volatile from "./scripts/volatile.json" with { type: "json" };
import wideBook from "./scripts/wide-book.json" with { type: "json" };

type Parameters = Readonly<Record<string, number>>;
type Entries = Readonly<Record<string, number | string>>;

export const readyScripts: readonly MarketScriptFile[] = [
  ...[calm, trending, volatile, flashCrash],
  ...[thinNight, gapOpen, wideBook, oneSided, liquidationCascade],
].map((script) => marketScriptFile.parse(script));

/** Returns the ready script of this name, or that in the file at this path; throws a FileFault. */
export function readScript(nameOrPath: string): MarketScriptFile {
  const ready = readyScripts.find(({ name }) => name === nameOrPath);
  if (ready !== undefined) return ready;
  if (!/[/.]/.test(nameOrPath)) {
    const names = readyScripts.map(({ name }) => name).join(", ");
    throw new FileFault(`no script ${nameOrPath}: expected a file, or one of ${names}`);
  }
  const named = { where: nameOrPath, what: "the script" };
  return parsed(marketScriptFile, jsonOf(nameOrPath), named);
}

/** Returns the script with its parameters as they are set; throws a FileFault that names the parameter or the field. */
export function scriptWith(file: MarketScriptFile, settings: Parameters): MarketScript {
  const { name, description, agents, phases } = file;
  const unknown = Object.keys(settings).find((one) => !Object.hasOwn(file.parameters, one));
  if (unknown !== undefined) {
    const known = Object.keys(file.parameters).join(", ");
    throw new FileFault(`${name}: no parameter ${unknown}: expected ${known || "none"}`);
  }
  const parameters = { ...file.parameters, ...settings };
  const complete = (kind: keyof typeof agents, own: Entries = {}) =>
    withParameters({ ...agents[kind], ...own }, parameters, name);
  const content = {
    ...{ name, description },
    phases: phases.map((phase) => ({
      name: phase.name,
      ...withParameters({ for_s: phase.for_s }, parameters, name),
      value: complete("value", phase.value),
      makers: complete("makers", phase.makers),
      noise: complete("noise", phase.noise),
      momentum: complete("momentum", phase.momentum),
      crowd: complete("crowd", phase.crowd),
    })),
  };
  return parsed(marketScript, content, { where: name, what: "the script" });
}

/** Replaces each `$parameter` and `-$parameter`. */
function withParameters(entries: Entries, parameters: Parameters, script: string): Entries {
  const filled = (entry: number | string): number | string => {
    const [, sign, parameter = ""] = /^(-?)\$(.*)$/.exec(String(entry)) ?? [];
    if (sign === undefined) return entry;
    const value = Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined;
    if (value === undefined) throw new FileFault(`${script}: no parameter ${parameter}`);
    return sign === "-" ? -value : value;
  };
  return Object.fromEntries(Object.entries(entries).map(([name, one]) => [name, filled(one)]));
}
