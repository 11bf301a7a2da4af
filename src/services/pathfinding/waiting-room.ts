/**
 * Statements about channels whose opening is not confirmed yet. Bounded, for anybody can speak of channels
 * that never come: each signer fills only places of its own, and the oldest place goes when all are taken.
 */
import type { Address } from '../../protocol/hex.ts';
import type { Statement } from './inbox.ts';

type Place = { tokenNetwork: Address; channelId: bigint; updatingParticipant: Address };

/** Channel and signer together make a place. */
const MOST_PLACES = 10_000;
/** The newest statements of a place. */
const MOST_STATEMENTS = 4;

export function createWaitingRoom(mostPlaces = MOST_PLACES) {
  const places = new Map<string, Statement[]>();

  return {
    /** The signature was checked: nobody speaks in another's place. */
    add(message: Statement): void {
      const name = nameOf(message);
      const before = places.get(name) ?? [];
      places.delete(name);
      places.set(name, [...before, message].slice(-MOST_STATEMENTS));
      const [oldest] = places.keys();
      if (places.size > mostPlaces && oldest !== undefined) places.delete(oldest);
    },
    /** Empties the place; the oldest statement first. */
    take(place: Place): Statement[] {
      const name = nameOf(place);
      const found = places.get(name) ?? [];
      places.delete(name);
      return found;
    },
    size: () => places.size,
  };
}

function nameOf({ tokenNetwork, channelId, updatingParticipant }: Place): string {
  return `${tokenNetwork} ${channelId} ${updatingParticipant}`;
}
