/** What the options of a node become, where they are not handed on as they are. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configOf } from '../../../src/cli/options/node-config.ts';
import { NODE_OPTIONS } from '../../../src/cli/options/node-options.ts';
import { declare, valuesOf } from '../../../src/cli/options/settings.ts';
import { LateCommand } from '../../../src/cli/process/late-command.ts';
import { PARTNER, TOKEN } from '../../support/makers.ts';
import { temporaryFolder } from '../../support/store.ts';

const CONTRACTS = { token_network_registry_address: PARTNER, deploy_block: 7 };

/** The configuration by these flags; throws with what is wrong with them. */
function configured(...flags: string[]) {
  const file = join(temporaryFolder(), 'contracts.json');
  writeFileSync(file, JSON.stringify(CONTRACTS));
  const needed = ['--eth-rpc-endpoint', 'http://chain.example/key', '--contracts', file];
  const command = declare(new LateCommand('node'), NODE_OPTIONS);
  const config = configOf(
    valuesOf(command.parse([...needed, ...flags], { from: 'user' }), NODE_OPTIONS, {}),
  );
  if (!config.ok) throw new Error(config.message);
  return config.value;
}

it.each([
  [[], null],
  [['--monitoring-reward', '7'], null],
  [['--enable-monitoring'], 80n * 10n ** 18n],
  [['--enable-monitoring', '--monitoring-reward', '7'], 7n],
])('by %j, a monitoring service is promised %s', (flags, reward) => {
  expect(configured(...flags).monitoringReward).toBe(reward);
});

it('registers tokens unless it is production', () => {
  expect(configured().isProduction).toBe(false);
  expect(configured('--environment-type', 'production').isProduction).toBe(true);
});

it('has the fees that are given', () => {
  const { fees } = configured('--flat-fee', TOKEN, '50', '--no-cap-mediation-fees');
  expect(fees.byToken.get(TOKEN)).toMatchObject({ flat: 50n, capFees: false });
});

it('passes nothing on to the chain unless it is told to, and then what only reads', () => {
  expect(configured().api.rpc).toBeNull();
  const rpc = configured('--rpc-passthrough', 'eth_sendRawTransaction').api.rpc;
  expect(rpc?.methods).toEqual(expect.arrayContaining(['eth_call', 'eth_sendRawTransaction']));
});

it('is replicated in the way that is given', () => {
  const flags = ['--nats', 'nats://broker.example', '--replicate', 'own'];
  expect(configured().replica).toBeNull();
  expect(configured(...flags).replica).toEqual({ stream: 'own', mode: 'sync' });
  expect(configured(...flags, '--replicate-mode', 'async').replica?.mode).toBe('async');
});

it.each([
  [['--replicate', 'own'], '--nats'],
  [['--standby'], '--replicate'],
  [['--takeover-after', '4'], '--standby'],
  [['--stately-inspect', '--no-inspector'], '--no-inspector'],
])('is refused by %j, with the option that is missing or too much', (flags, named) => {
  expect(() => configured(...flags)).toThrow(named);
});
