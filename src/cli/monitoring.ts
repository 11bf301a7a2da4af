/** `sluice monitoring`: runs the monitoring service until it is told to stop. */
import { Command } from 'commander';
import { MIN_REWARD, openMonitoring } from '../host/open-monitoring.ts';
import { MAX_UINT256 } from '../protocol/amount.ts';
import { faultOf } from './node.ts';
import { API_HOSTS } from './node-settings.ts';
import { ACCEPT_PRICE, REGISTER, runService, SERVICE_SETTINGS } from './service.ts';
import { declare, defaulting, optional, readerOf } from './settings.ts';
import { bigNumber, hostAndPort } from './values.ts';

const MIN_REWARD_SETTING = defaulting(
  '--min-reward <units>',
  'least reward a request must promise, in units of the service token',
  bigNumber(0n, MAX_UINT256),
  MIN_REWARD.toString(),
);
const API_ADDRESS = optional(
  '--api-address <host:port>',
  'where /livez, /readyz and /metrics are answered (default: nowhere)',
  hostAndPort,
);

export function monitoringCommand(): Command {
  const command = new Command('monitoring').description(
    'bring the balance proofs of nodes that are off on chain when their partner closes, for a reward',
  );
  const own = [MIN_REWARD_SETTING, API_ADDRESS, API_HOSTS, REGISTER, ACCEPT_PRICE];
  return declare(command, [...SERVICE_SETTINGS, ...own]).action(async () => {
    const read = readerOf(command);
    const address = read(API_ADDRESS);
    const allowedHosts = read(API_HOSTS) ?? [];
    const choices = {
      minReward: read(MIN_REWARD_SETTING),
      api: address === null ? null : { ...address, allowedHosts },
      register: read(REGISTER),
      acceptedPrice: read(ACCEPT_PRICE),
    };
    const code = await runService(
      read,
      (config, hooks) => openMonitoring({ ...config, ...choices }, hooks),
      faultOf(command),
    );
    process.exit(code);
  });
}
