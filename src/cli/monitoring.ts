/** `sluice monitoring`: runs the monitoring service until it is told to stop. */
import type { Command } from 'commander';
import { MAX_UINT256 } from '../basics/amount.ts';
import { faultOf } from './node.ts';
import { API_HOSTS } from './options/node-settings.ts';
import { declare, defaulting, optional, readerOf } from './options/settings.ts';
import { bigNumber, hostAndPort } from './options/values.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';
import {
  REGISTRATION_SETTINGS,
  registrationChoicesOf,
  SERVICE_SETTINGS,
  serviceChoicesOf,
} from './service.ts';

/** The default is worth a transaction: 5 whole service tokens. */
const MIN_REWARD = defaulting(
  '--min-reward <units>',
  'least reward a request must promise, in units of the service token',
  bigNumber(0n, MAX_UINT256),
  String(5n * 10n ** 18n),
);
const API_ADDRESS = optional(
  '--api-address <host:port>',
  'where /livez, /readyz and /metrics are answered (default: nowhere)',
  hostAndPort,
);

export function monitoringCommand(): Command {
  const command = new LateCommand('monitoring').description(
    'bring the balance proofs of nodes that are off on chain when their partner closes, for a reward',
  );
  const own = [MIN_REWARD, API_ADDRESS, API_HOSTS, ...REGISTRATION_SETTINGS];
  return act(declare(command, [...SERVICE_SETTINGS, ...own]), async () => {
    const read = readerOf(command);
    const address = read(API_ADDRESS);
    const allowedHosts = read(API_HOSTS) ?? [];
    const choices = {
      minReward: read(MIN_REWARD),
      api: address === null ? null : { ...address, allowedHosts },
      ...registrationChoicesOf(read),
    };
    const shared = serviceChoicesOf(read);
    const fault = faultOf(command);
    const { runService } = await import('./run/service.ts');
    const { openMonitoring } = await import('../host/services/open-monitoring.ts');
    return runService(
      shared,
      (config, hooks) => openMonitoring({ ...config, ...choices }, hooks),
      fault,
    );
  });
}
