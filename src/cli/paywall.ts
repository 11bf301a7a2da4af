/** `sluice paywall`: a reverse proxy that charges for calls, paid to a node over channels. */
import type { Command } from 'commander';
import { PAYWALL_SETTINGS, paywallChoicesOf } from './options/paywall.ts';
import { declare, readerOf } from './options/settings.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

export function paywallCommand(): Command {
  const command = new LateCommand('paywall').description(
    'sell the calls of a server: a reverse proxy that a client pays over channels (x402)',
  );
  return act(declare(command, PAYWALL_SETTINGS), async () => {
    const choices = paywallChoicesOf(readerOf(command));
    const { runPaywall } = await import('./run/paywall.ts');
    return runPaywall(choices);
  });
}
