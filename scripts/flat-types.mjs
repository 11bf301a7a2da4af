// Writes the declarations of the package's entries, each with all that it needs: a program that imports only the client
// must not have to check the declarations of the database, the broker and the chain.
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const ENTRIES = {
  client: at('../dist/src/client/client.d.ts'),
  simulation: at('../dist/src/simulation/library.d.ts'),
  tabs: at('../dist/src/tabs/library.d.ts'),
  x402: at('../dist/src/x402/x402.d.ts'),
};

const bundle = await rolldown({
  input: ENTRIES,
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  checks: { bundlerTimings: false },
  plugins: dts({ dtsInput: true, emitDtsOnly: true }),
});
await bundle.write({ dir: at('../dist/types'), format: 'es' });
await bundle.close();
