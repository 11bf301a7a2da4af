// Bundles the program and the libraries that it needs into a few files: Node reads these in a third of the time of more
// than a thousand small ones. What every start needs is in main.js, made of the sluice.js that the compiler wrote; each
// command imports its own parts when it is called. All lie in one folder, so that paths relative to a module stay right.
// Libraries with native code, or found by their name at run time, are not bundled.
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = at('../dist/src/cli/');

/** Removes the parts that an earlier build has left: their names change with their content. */
const removeOldParts = {
  name: 'remove-old-parts',
  buildStart() {
    for (const name of readdirSync(folder)) if (name.startsWith('part-')) rmSync(folder + name);
  },
};

export default defineConfig({
  root: at('..'),
  logLevel: 'warn',
  plugins: [removeOldParts],
  ssr: {
    target: 'node',
    noExternal: true,
    external: ['@foundry-rs/anvil', 'elkjs', 'hash-wasm', 'libsql', 'secp256k1', 'solc'],
  },
  build: {
    ssr: at('../dist/src/cli/sluice.js'),
    target: 'node20',
    outDir: folder,
    emptyOutDir: false,
    copyPublicDir: false,
    minify: false,
    license: { fileName: 'licenses.md' },
    rollupOptions: {
      checks: { bundlerTimings: false },
      output: {
        entryFileNames: 'main.js',
        chunkFileNames: 'part-[name]-[hash].js',
        codeSplitting: {
          groups: [
            // What every start needs is one file, beside the entry itself.
            { name: 'start', tags: ['$initial'], test: /(?<!\/cli\/sluice\.js)$/ },
          ],
        },
      },
    },
  },
});
