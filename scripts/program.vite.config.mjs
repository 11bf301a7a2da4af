// Bundles the program and the libraries that it needs at every start into one file: Node reads that in a third of the
// time of more than a thousand small files. The bundle replaces the main.js that the compiler wrote, so that paths
// relative to a module stay right. Libraries with native code, or found by their name at run time, are not bundled.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('..'),
  logLevel: 'warn',
  ssr: {
    target: 'node',
    noExternal: true,
    external: ['@foundry-rs/anvil', 'elkjs', 'hash-wasm', 'libsql', 'secp256k1', 'solc'],
  },
  build: {
    ssr: at('../dist/src/cli/main.js'),
    target: 'node20',
    outDir: at('../dist/src/cli'),
    emptyOutDir: false,
    copyPublicDir: false,
    minify: false,
    license: { fileName: 'licenses.md' },
    rollupOptions: { output: { entryFileNames: 'main.js', codeSplitting: false } },
  },
});
