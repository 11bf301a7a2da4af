// One process of simulate-discovery.mjs. Arguments: the folder of the switched source, the numbers of the changes, and the
// folder of worlds that `explore` wrote, or nothing.
import { runnerImport } from 'vite';

const [folder, ids, worlds = ''] = process.argv.slice(2);
const module = './test/mutation/discovery.ts';
const { createDiscovery } = (await runnerImport(module, { configFile: false, logLevel: 'error' }))
  .module;
const discovery = await createDiscovery(folder, ids.split(','), worlds);
process.on('message', async ({ id, budgetMs }) => {
  process.send(await discovery.search(id, budgetMs, () => process.send({})));
});
process.send({});
