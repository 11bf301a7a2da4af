/** `sluice account new|import`: writes a key into an encrypted file. */
import { Command } from 'commander';
import { KEYSTORE_PATH, PASSWORD_FILE } from './options/key-choice.ts';
import { declare, type Read, readerOf } from './options/settings.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

const SETTINGS = [KEYSTORE_PATH, PASSWORD_FILE];

export function accountCommand(): Command {
  const create = new LateCommand('new').description('make a key');
  act(declare(create, SETTINGS), async () => {
    const place = placeOf(readerOf(create));
    const { runNew } = await import('./run/account.ts');
    return runNew(place);
  });
  const take = new LateCommand('import')
    .description('take a key over, from a file of 64 hex digits or an encrypted key file')
    .argument('<file>', 'an encrypted (version 3) file keeps its password');
  act(declare(take, SETTINGS), async (file: string) => {
    const place = placeOf(readerOf(take));
    const { runImport } = await import('./run/account.ts');
    return runImport(place, file);
  });
  return new Command('account')
    .description('encrypted key files')
    .addCommand(create)
    .addCommand(take);
}

function placeOf(read: Read) {
  return { keystorePath: read(KEYSTORE_PATH), passwordFile: read(PASSWORD_FILE) };
}
