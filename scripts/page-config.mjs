// Builds a folder of pages into the package: static files that load nothing from other servers.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** `name`: of the folder `src/NAME`; `pages`: its HTML files without their extension. */
export function pageConfig(name, pages) {
  return defineConfig({
    root: at(`../src/${name}`),
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    worker: { format: 'es' },
    build: {
      outDir: at(`../dist/${name}`),
      emptyOutDir: true,
      // Every asset is a file of its own, because the page's policy forbids data URLs as code.
      assetsInlineLimit: 0,
      rollupOptions: {
        checks: { bundlerTimings: false },
        input: Object.fromEntries(pages.map((page) => [page, at(`../src/${name}/${page}.html`)])),
      },
    },
  });
}
