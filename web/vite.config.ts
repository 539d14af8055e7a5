// Builds the terminal to dist/web: hashed assets that never change, each beside its Brotli form, so that
// a front compresses nothing while it trades.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const outDir = join(import.meta.dirname, "../dist/web");

const compressible = /\.(html|js|css|svg)$/;

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
  base: "./",
  plugins: [compressed()],
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2022",
    // Inlined assets are data: addresses, which the page's content policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
