/** What the guards and the actions of a keeper mean. */
import type { keeperMachine } from '../../../machines/keeper/chart.ts';
import type { WordsOf } from './names.ts';

export const KEEPER_WORDS = {
  guards: {
    isPublic: 'The secret stood on chain already when the lock was found.',
    isOwn: 'It is a lock of this node.',
    isUnexplained:
      'Nobody knows what the lock is for: money of this node may hang on it, so that gas is paid for its secret.',
    isOwnChannel: 'It is the channel that holds the lock.',
    isBeforeExpiration: 'The lock has not expired at this block.',
    isInTime: 'The secret was registered on chain before the lock expires.',
    isFailed: 'The transaction failed.',
    isMinedInTime: 'The transaction was mined before the lock expires: the secret stands on chain.',
  },
  actions: {
    learn: 'Remembers the secret, and tells nobody.',
    wakeAtRemoval: 'Wakes up when the lock may be taken back.',
    register: 'Sends the transaction that registers the secret on chain.',
    tryNextBlock: 'Wakes up at the next block to try again.',
    rest: 'Nothing is due at any block.',
    tellRegistered: 'Tells the channel that the secret stands on chain in time.',
    expireLock: 'Has the channel take the expired lock out.',
  },
} satisfies WordsOf<typeof keeperMachine>;
