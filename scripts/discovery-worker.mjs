// One process of simulate-discovery.mjs. Arguments: the folder of the switched source, the numbers of the changes, and the
// folder of worlds that `explore` wrote, or nothing.
import { runnerImport } from 'vite';

const [folder, ids, worlds = ''] = process.argv.slice(2);
const module = './test/mutation/discovery.ts';
const { createDiscovery } = (await runnerImport(module, { configFile: false, logLevel: 'error' }))
  .module;
const discovery = await createDiscovery(folder, ids.split(','), worlds);
const onRun = () => process.send({});
process.on('message', async ({ id, first, step, budgetMs }) => {
  if (id === undefined) await discovery.prepare(first, step, budgetMs, onRun);
  process.send(
    id === undefined ? { end: 'prepared' } : await discovery.search(id, budgetMs, onRun),
  );
});
process.send({});
