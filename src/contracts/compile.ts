/** `npm run build:contracts`: writes `generated/*.ts` from the Solidity sources. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileSources, renderContract, SOLIDITY_CONTRACTS, sourceFolder } from './solidity.ts';

const folder = join(sourceFolder(), 'generated');
mkdirSync(folder, { recursive: true });
const compiled = compileSources();
for (const name of SOLIDITY_CONTRACTS) {
  const contract = compiled.get(name);
  if (contract === undefined) throw new Error(`the sources define no contract ${name}`);
  writeFileSync(join(folder, `${name}.ts`), renderContract(name, contract));
  process.stdout.write(`${name.padEnd(22)}${contract.deployedSize} bytes\n`);
}
