// `make profile`: prints the profiles in a folder. For each thread it shows the busy time and the functions with the
// most self time. Run it after `node --cpu-prof --cpu-prof-dir=<folder> dist/bench/run.js <row>`, which also profiles
// child processes.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCpuProfile } from "./report/cpu-profile.ts";

const functionsShown = 14;
/** Threads that were busy for less than this are not printed. */
const busyMsMin = 200;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("usage: node dist/bench/profile.js <folder with .cpuprofile files>\n");
  process.exit(2);
}
const profiles = readdirSync(folder)
  .filter((name) => name.endsWith(".cpuprofile"))
  .map((name) => ({ name, ...readCpuProfile(readFileSync(join(folder, name), "utf8")) }))
  .filter(({ busyMs }) => busyMs >= busyMsMin)
  .sort((one, other) => other.busyMs - one.busyMs);
for (const { name, script, ms, busyMs, shares } of profiles) {
  const percent = (share: number) => `${(share * 100).toFixed(1).padStart(5)} %`;
  const busy = `${Math.round(busyMs)} ms busy of ${Math.round(ms)}`;
  process.stdout.write(`\n${script}: ${busy} (${name})\n`);
  for (const [where, share] of shares.slice(0, functionsShown))
    process.stdout.write(`${percent(share)}  ${where}\n`);
}
