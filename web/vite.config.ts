// Builds the terminal, the operations page and the documentation to dist/pages. File names of assets contain their
// hash. Each file also gets a Brotli copy, so that a front thread compresses nothing while trading.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { portal } from "./portal/portal-plugin.ts";

const outDir = join(import.meta.dirname, "../dist/pages");

const compressible = /\.(html|js|css|svg|json|md|txt)$/;

function compressed(): Plugin {
  return {
    name: "compressed",
    closeBundle() {
      for (const file of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
        if (!compressible.test(file)) continue;
        const path = join(outDir, file);
        // Assets, which every visitor loads, are compressed as far as possible. The many documents are compressed less,
        // which builds faster.
        const quality = file.startsWith("assets") ? 11 : 9;
        const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
        writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), { params }));
      }
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [portal(outDir, "documentation.html"), compressed()],
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2022",
    // Inlined assets would be data: URLs, which the content policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Do not report timings: they depend on the machine, not on the build.
      checks: { bundlerTimings: false },
      input: ["index.html", "ops.html", "ops/traffic.html", "documentation.html"].map((page) =>
        join(import.meta.dirname, page),
      ),
    },
  },
});
