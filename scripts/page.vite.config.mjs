// Builds the inspector's pages into the package: static files that load nothing from other servers.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('../src/inspector-page'),
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  build: {
    outDir: at('../dist/inspector-page'),
    emptyOutDir: true,
    // Every asset is a file of its own, because the page's policy forbids data URLs as code.
    assetsInlineLimit: 0,
    rollupOptions: {
      checks: { bundlerTimings: false },
      input: {
        index: at('../src/inspector-page/index.html'),
        network: at('../src/inspector-page/network.html'),
      },
    },
  },
});
