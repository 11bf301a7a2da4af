/** `sluice pathfinding`: runs a path-finding service until it is told to stop. */
import type { Command } from 'commander';
import { MAX_UINT256 } from '../basics/amount.ts';
import { API_HOSTS, RPC_CORS_DOMAIN } from './options/node-settings.ts';
import { declare, defaulting, readerOf } from './options/settings.ts';
import { bigNumber, hostAndPort } from './options/values.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';
import {
  REGISTRATION_SETTINGS,
  registrationChoicesOf,
  SERVICE_SETTINGS,
  serviceChoicesOf,
} from './service.ts';

const UNITS = bigNumber(0n, MAX_UINT256);

const API_ADDRESS = defaulting(
  '--api-address <host:port>',
  'where the API listens',
  hostAndPort,
  '127.0.0.1:6001',
);
const PRICE = defaulting(
  '--price <amount>',
  'what a request for paths costs, in units of the service token',
  UNITS,
  '0',
);
const LEAST_CLAIM = defaulting(
  '--least-claim <amount>',
  'IOUs that owe less are not redeemed: their gas would cost more',
  UNITS,
  '1',
);
export function pathfindingCommand(): Command {
  const command = new LateCommand('pathfinding').description('run a path-finding service');
  const api = [API_ADDRESS, API_HOSTS, RPC_CORS_DOMAIN];
  const all = [...SERVICE_SETTINGS, ...api, PRICE, LEAST_CLAIM, ...REGISTRATION_SETTINGS];
  return act(declare(command, all), async () => {
    const read = readerOf(command);
    const own = {
      api: {
        ...read(API_ADDRESS),
        allowedHosts: read(API_HOSTS) ?? [],
        origins: read(RPC_CORS_DOMAIN) ?? [],
      },
      price: read(PRICE),
      leastClaim: read(LEAST_CLAIM),
      ...registrationChoicesOf(read),
    };
    const shared = serviceChoicesOf(read);
    const { runService } = await import('./run/service.ts');
    const { openPathfinding } = await import('../host/services/open-pathfinding.ts');
    return runService(shared, (config, hooks) => openPathfinding({ ...config, ...own }, hooks));
  });
}
