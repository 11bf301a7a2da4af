/** What of the source runs from the HTTP call of a direct payment until its message leaves: files, functions, calls. */
import { runnerImport } from 'vite';
import { createCallTree, type Run, tracedSource } from '../support/call-tree.ts';

type Driver = typeof import('../support/way-of-payment.ts');

async function runsOfPayment(): Promise<readonly Run[]> {
  const root = process.cwd();
  const tree = createCallTree('src/http/server.ts');
  const { module } = await runnerImport<Driver>(`${root}/test/support/way-of-payment.ts`, {
    ...{ root, configFile: false, logLevel: 'error' },
    plugins: [tracedSource(root)],
  });
  await module.wayOfPayment(tree);
  return tree.runs;
}

const runs = await runsOfPayment();
const functionOf = ({ file, name }: Run) => `${file} ${name}`;
const files = [...new Set(runs.map(({ file }) => file))];
for (const file of files) {
  const here = runs.filter((run) => run.file === file);
  const names = new Map<string, number>();
  for (const { name } of here) names.set(name, (names.get(name) ?? 0) + 1);
  const shown = [...names].map(([name, count]) => (count > 1 ? `${name} x${count}` : name));
  console.log(`${String(here.length).padStart(5)}  ${file}: ${shown.join(', ')}`);
}
const functions = new Set(runs.map(functionOf)).size;
console.log(`${files.length} files, ${functions} functions, ${runs.length} calls`);
process.exit(0);
