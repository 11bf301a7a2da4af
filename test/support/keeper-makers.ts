/** Locks that no payment answers for, and their keepers. */
import { initialTransition } from 'xstate';
import type { KeeperInput } from '../../machines/base/inputs.ts';
import { keeperMachine } from '../../machines/keeper/chart.ts';
import { keeperId } from '../../machines/keeper/keeping.ts';
import { CHANNEL, CONFIRMATIONS, EXPIRATION, hashOf, PARTNER, STRANGER } from './makers.ts';
import { effectsIn, type Played, played } from './played.ts';

export type PlayedKeeper = Played<typeof keeperMachine>;

export const keeperInput = (parts: Partial<KeeperInput> = {}): KeeperInput => {
  const { side = 'partner' } = parts;
  return {
    id: keeperId(CHANNEL, side, hashOf(1)),
    channel: CHANNEL,
    side,
    secrethash: hashOf(1),
    amount: 10n,
    expiration: EXPIRATION,
    confirmations: CONFIRMATIONS,
    isUnexplained: true,
    isPublic: false,
    transfer: null,
    ...parts,
  };
};

/** The fields of a transfer that was never passed on. */
export const heldTransfer = {
  role: 'mediator',
  initiator: PARTNER,
  target: STRANGER,
  paymentId: 1n,
} as const;

/** The keeper of a lock of 10 that nobody can explain. */
export function keeper(parts: Partial<KeeperInput> = {}): PlayedKeeper {
  const [snapshot, actions] = initialTransition(keeperMachine, keeperInput(parts));
  return played(keeperMachine, snapshot, effectsIn(actions));
}
