/** `sluice paywall`: a reverse proxy that charges for calls, paid to a node over channels. */
import type { Command } from 'commander';
import { PAYWALL_OPTIONS } from './options/paywall.ts';
import { actWith } from './options/settings.ts';
import { LateCommand } from './process/late-command.ts';

export function paywallCommand(): Command {
  const command = new LateCommand('paywall').description(
    'sell the calls of a server: a reverse proxy that a client pays over channels (x402)',
  );
  return actWith(command, PAYWALL_OPTIONS, async (options) => {
    const { runPaywall } = await import('./run/paywall.ts');
    return runPaywall(options);
  });
}
