/** What a node does at its start about locks for which no actor, or more than one, is responsible. */

import { placeOfChannel } from '../../../../machines/base/actor-ids.ts';
import type { Log } from '../../../basics/environment.ts';
import type { Hash } from '../../../basics/hex.ts';
import type { Store } from '../../../store/store.ts';
import type { Notification } from '../commits/records.ts';
import type { Engine } from '../commits/turn.ts';
import type { WrongLock } from './books.ts';

type Secrets = Pick<Store, 'registeredSecret'>;
type Parts = { engine: Pick<Engine, 'turn'>; store: Secrets; log: Log };

/**
 * Records each such lock, notifies the operator, and gives a lock without a responsible actor a keeper: all in one
 * commit, before any message of a partner is taken.
 */
export function protectLocks(wrong: readonly WrongLock[], { engine, store, log }: Parts): void {
  if (wrong.length === 0) return;
  log.error({ locks: wrong.length }, 'the books are wrong: locks without one actor that answers');
  const orphans = wrong.filter(({ answerers }) => answerers.length === 0);
  const deliveries = orphans.map(({ channel: to, side, secrethash, expiration }) => {
    const lock = { side, secrethash, isPublic: isPublicInTime(store, secrethash, expiration) };
    return { to, event: { type: 'actor.unanswered', ...lock } as const };
  });
  engine.turn(deliveries, (batch) => {
    for (const { channel, side, secrethash, answerers } of wrong) {
      const who = answerers.length === 0 ? 'nobody' : answerers.join(' and ');
      const detail = `${who} answers for the lock ${secrethash} of the ${side} side`;
      batch.alerts.push({ type: 'record.alert', alert: 'unanswered_lock', channel, detail });
    }
    // Ends an earlier notification, so that these locks are shown as new.
    batch.over.push('unanswered_lock');
    batch.notifications.push(unanswered(wrong));
  });
}

/**
 * Whether the secret was registered before the lock expired. A block that the chain has
 * replaced is not known: then it counts as in time, because somebody may still be able to claim the lock.
 */
function isPublicInTime(store: Secrets, secrethash: Hash, expiration: bigint): boolean {
  const seen = store.registeredSecret(secrethash);
  return seen !== null && (seen.block === null || seen.block < expiration);
}

/** The channel as the API names it. */
function nameOf(channel: string): string {
  const place = placeOfChannel(channel);
  return `channel ${place?.channelId} of the token network ${place?.tokenNetwork}`;
}

function unanswered(wrong: readonly WrongLock[]): Notification {
  const channels = [...new Set(wrong.map(({ channel }) => nameOf(channel)))];
  return {
    id: 'unanswered_lock',
    summary: 'Pending transfers without a payment',
    body:
      `At its start this node found ${wrong.length} locked amounts whose payments it does not know, in ` +
      `${channels.join(', ')}.\nIt watches the chain for each of them and claims what it can. ` +
      'Close these channels if their balances do not return in a day, and report this: it is a mistake ' +
      'of the program, or the database was changed from outside.',
    urgency: 'high',
  };
}
