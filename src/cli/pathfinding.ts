/** `sluice pathfinding`: runs a path-finding service until it is told to stop. */
import type { Command } from 'commander';
import { MAX_UINT256 } from '../basics/amount.ts';
import type { RegistrationChoices } from '../services/base/registration.ts';
import { NODE_OPTIONS } from './options/node-options.ts';
import { actWith, defaulting, type HandedOn, type Nothing } from './options/settings.ts';
import { bigNumber, hostAndPort } from './options/values.ts';
import { LateCommand } from './process/late-command.ts';
import { REGISTRATION_OPTIONS, SERVICE_OPTIONS } from './service.ts';

const UNITS = bigNumber(0n, MAX_UINT256);

const OPTIONS = {
  shared: SERVICE_OPTIONS,
  apiAddress: defaulting(
    '--api-address <host:port>',
    'where the API listens',
    hostAndPort,
    '127.0.0.1:6001',
  ),
  allowedHosts: NODE_OPTIONS.apiLimits.allowedHosts,
  origins: NODE_OPTIONS.apiLimits.origins,
  price: defaulting(
    '--price <amount>',
    'what a request for paths costs, in units of the service token',
    UNITS,
    '0',
  ),
  leastClaim: defaulting(
    '--least-claim <amount>',
    'IOUs that owe less are not redeemed: their gas would cost more',
    UNITS,
    '1',
  ),
  registration: REGISTRATION_OPTIONS,
};

export function pathfindingCommand(): Command {
  const command = new LateCommand('pathfinding').description('run a path-finding service');
  return actWith(command, OPTIONS, async (options) => {
    const { shared, apiAddress, allowedHosts, origins, registration, ...rest } = options;
    const { price, leastClaim, ...left } = rest;
    left satisfies Nothing;
    registration satisfies HandedOn<typeof registration, RegistrationChoices>;
    const own = { api: { ...apiAddress, allowedHosts, origins }, price, leastClaim };
    const { runService } = await import('./run/service.ts');
    const { openPathfinding } = await import('../host/services/open-pathfinding.ts');
    return runService(shared, (config, hooks) =>
      openPathfinding({ ...config, ...own, ...registration }, hooks),
    );
  });
}
