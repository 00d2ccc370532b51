// Builds each page into one HTML file without references: dist/report.html, dist/live.html. One entry at a time, so that
// nothing is shared between files.
import { existsSync } from "node:fs";
import { build } from "vite";
import { onePage } from "./one_page.mjs";

const out = process.argv[2] ?? "dist";
for (const page of ["report", "live"]) {
  if (!existsSync(`${page}.html`)) continue;
  await build({
    configFile: false,
    root: process.cwd(),
    logLevel: "warn",
    plugins: [onePage()],
    build: {
      target: "es2020",
      outDir: out,
      emptyOutDir: false,
      modulePreload: false,
      cssCodeSplit: false, // else the script would make a style that the policy forbids
      reportCompressedSize: false,
      assetsInlineLimit: 0,
      rollupOptions: { input: `${page}.html`, output: { format: "iife", inlineDynamicImports: true } },
    },
  });
}
