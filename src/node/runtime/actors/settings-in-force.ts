/** Finds the stored actors that still use other settings than those with which this process was started. */

import type { ActorSettings } from '../../../../machines/base/inputs.ts';
import { withSettings } from '../../../../machines/channel/timeouts.ts';
import { leastRevealTimeout } from '../../../protocol/channel/expiration.ts';
import type { NodeSettings } from '../parts.ts';
import type { StoredState } from './kinds.ts';

/** The least reveal timeout is never below what the confirmations demand, whatever the settings say. */
export function withSafeMinimum(settings: NodeSettings): NodeSettings {
  const minRevealTimeout = leastRevealTimeout(settings.confirmations, settings.minRevealTimeout);
  return { ...settings, minRevealTimeout };
}

/** Whether a channel, or a transfer that is on its way, uses other settings. */
export function isOutdated({ kind, context }: StoredState, settings: ActorSettings): boolean {
  if (kind === 'mediator' || kind === 'target')
    return context.confirmations !== settings.confirmations;
  if (kind !== 'channel') return false;
  const told = withSettings(context, { type: 'actor.settings', settings });
  return (
    told.confirmations !== context.confirmations ||
    told.minRevealTimeout !== context.minRevealTimeout ||
    told.revealTimeout !== context.revealTimeout
  );
}
