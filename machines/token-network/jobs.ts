/** The end of a transaction that opens a channel, or deposits into one, and who has waited for it. */

import { inOrder } from '../base/step.ts';
import type { TransactionEnded } from '../events/chain.ts';
import { type NetworkStep, on, type TokenNetworkContext } from './context.ts';
import { endJoin } from './joining.ts';
import { endLeave, leaveOpened } from './leaving.ts';
import { endMatch } from './matching.ts';
import { endOpening } from './opening.ts';

/** Handles the end of an opening or of a deposit that this actor asked for. */
function endJob(network: TokenNetworkContext, event: TransactionEnded): NetworkStep {
  const opening = network.openings.find(({ key }) => key === event.key);
  if (opening !== undefined)
    return inOrder<TokenNetworkContext>(
      network,
      (next) => endOpening(next, opening, event),
      (next) => leaveOpened(next, opening.channel),
      endJoin,
      endLeave,
    );
  const match = network.matches.find(({ key }) => key === event.key);
  return match === undefined ? { patch: {}, effects: [] } : endMatch(network, match, event);
}

export const actions = { endJob: on(endJob, 'chain.tx') };
