// Makes one file of the program and the libraries that it needs at every start: Node reads that in a third of
// the time that more than a thousand small files take. It stands where the compiler has put main.js, so that
// every path that a module finds from its own place stays right. What has native code, or is found by its name
// at run time, stays where it is installed.
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
