/** `sluice account new|import`: writes a key into an encrypted file. */
import { Command } from 'commander';
import { NODE_OPTIONS } from './options/node-options.ts';
import { actWith } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';

const { keystorePath, passwordFile } = NODE_OPTIONS.key;
const PLACE = { keystorePath, passwordFile };

export function accountCommand(): Command {
  const create = new LateCommand('new').description('make a key');
  actWith(create, PLACE, async (place) => {
    const { runNew } = await import('./run/account.ts');
    return runNew(place);
  });
  const take = new LateCommand('import')
    .description('take a key over, from a file of 64 hex digits or an encrypted key file')
    .argument('<file>', 'an encrypted (version 3) file keeps its password');
  actWith(take, PLACE, async (place, file: string) => {
    const { runImport } = await import('./run/account.ts');
    return runImport(place, file);
  });
  return new Command('account')
    .description('encrypted key files')
    .addCommand(create)
    .addCommand(take);
}
