/** `sluice monitoring`: runs the monitoring service until it is told to stop. */
import type { Command } from 'commander';
import { MAX_UINT256 } from '../basics/amount.ts';
import type { RegistrationChoices } from '../services/base/registration.ts';
import { faultOf } from './node.ts';
import { NODE_OPTIONS } from './options/node-options.ts';
import { actWith, defaulting, type HandedOn, type Nothing, optional } from './options/settings.ts';
import { bigNumber, hostAndPort } from './options/values.ts';
import { LateCommand } from './process/late-command.ts';
import { REGISTRATION_OPTIONS, SERVICE_OPTIONS } from './service.ts';

const OPTIONS = {
  shared: SERVICE_OPTIONS,
  /** The default is worth a transaction: 5 whole service tokens. */
  minReward: defaulting(
    '--min-reward <units>',
    'least reward a request must promise, in units of the service token',
    bigNumber(0n, MAX_UINT256),
    String(5n * 10n ** 18n),
  ),
  apiAddress: optional(
    '--api-address <host:port>',
    'where /livez, /readyz and /metrics are answered (default: nowhere)',
    hostAndPort,
  ),
  allowedHosts: NODE_OPTIONS.apiLimits.allowedHosts,
  registration: REGISTRATION_OPTIONS,
};

export function monitoringCommand(): Command {
  const command = new LateCommand('monitoring').description(
    'bring the balance proofs of nodes that are off on chain when their partner closes, for a reward',
  );
  return actWith(command, OPTIONS, async (options) => {
    const { shared, minReward, apiAddress, allowedHosts, registration, ...left } = options;
    left satisfies Nothing;
    registration satisfies HandedOn<typeof registration, RegistrationChoices>;
    const api = apiAddress === null ? null : { ...apiAddress, allowedHosts };
    const fault = faultOf(command);
    const { runService } = await import('./run/service.ts');
    const { openMonitoring } = await import('../host/services/open-monitoring.ts');
    return runService(
      shared,
      (config, hooks) => openMonitoring({ ...config, minReward, api, ...registration }, hooks),
      fault,
    );
  });
}
