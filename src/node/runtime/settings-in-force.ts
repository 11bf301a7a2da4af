/** Which stored actors were last told of other settings than those that this process was started with. */
import { withSettings } from '../../../machines/channel/timeouts.ts';
import type { ActorSettings } from '../../../machines/inputs.ts';
import type { MediatorContext } from '../../../machines/mediator/context.ts';
import type { TargetContext } from '../../../machines/target/chart.ts';
import { leastRevealTimeout } from '../../protocol/expiration.ts';
import { isChannel } from './channel-states.ts';
import type { StoredState } from './kinds.ts';
import type { NodeSettings } from './parts.ts';

type Context = StoredState['context'];

/** Whoever wrote the settings: no reveal timeout below what the confirmations demand is ever taken. */
export function withSafeMinimum(settings: NodeSettings): NodeSettings {
  const minRevealTimeout = leastRevealTimeout(settings.confirmations, settings.minRevealTimeout);
  return { ...settings, minRevealTimeout };
}

/** Whether a channel, or a transfer that is on its way, goes by others. */
export function isOutdated(context: Context, settings: ActorSettings): boolean {
  if (isTransfer(context)) return context.confirmations !== settings.confirmations;
  if (!isChannel(context)) return false;
  const told = withSettings(context, { type: 'actor.settings', settings });
  return (
    told.confirmations !== context.confirmations ||
    told.minRevealTimeout !== context.minRevealTimeout ||
    told.revealTimeout !== context.revealTimeout
  );
}

function isTransfer(context: Context): context is MediatorContext | TargetContext {
  return 'payer' in context;
}
