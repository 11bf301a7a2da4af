/** `sluice contracts`: deploys a set of contracts, and tokens to try them with. */
import { Command } from 'commander';
import { DEPLOY_OPTIONS, TOKEN_OPTIONS } from './options/contracts.ts';
import { actWith } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';

export function contractsCommand(): Command {
  const deploy = new LateCommand('deploy').description(
    'deploy the contracts, print their addresses',
  );
  actWith(deploy, DEPLOY_OPTIONS, async (options) => {
    const { runDeploy } = await import('./run/contracts.ts');
    return runDeploy(options);
  });
  const token = new LateCommand('token').description(
    'deploy a token for test networks, of which anybody may make more; print its address',
  );
  actWith(token, TOKEN_OPTIONS, async (options) => {
    const { runToken } = await import('./run/contracts.ts');
    return runToken(options);
  });
  return new Command('contracts')
    .description('the contracts on the chain')
    .addCommand(deploy)
    .addCommand(token);
}
