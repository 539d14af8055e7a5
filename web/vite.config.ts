// Builds the terminal, the operations page and the documentation to dist/web: hashed assets that never change,
// each file beside its Brotli form, so that a front compresses nothing while it trades.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { portal } from "./portal/portal-plugin.ts";

const outDir = join(import.meta.dirname, "../dist/web");

const compressible = /\.(html|js|css|svg|json|md|txt)$/;

function compressed(): Plugin {
  return {
    name: "compressed",
    closeBundle() {
      for (const file of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
        if (!compressible.test(file)) continue;
        const path = join(outDir, file);
        writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
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
    // Inlined assets are data: addresses, which the page's content policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ["index.html", "documentation.html"].map((page) => join(import.meta.dirname, page)),
    },
  },
});
