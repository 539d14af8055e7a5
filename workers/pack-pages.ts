// A step of a build: packs the pages that a front serves. Arguments: the folder of the pages, the pack.

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { packFiles } from "../src/adapters/gateway/page/built-files.ts";

const [, , folder = "", pack = ""] = process.argv;
writeFileSync(pack, packFiles(resolve(folder)));
