/**
 * Statements about channels whose opening is not confirmed yet. Bounded, for anybody can speak of channels
 * that never come: a signer who takes too many places loses its own, and pushes out nobody else's.
 */
import type { Address } from '../protocol/hex.ts';
import type { ServiceMessage } from '../protocol/service-message-types.ts';

export type Statement = Extract<
  ServiceMessage,
  { type: 'PFSCapacityUpdate' } | { type: 'PFSFeeUpdate' }
>;
type Place = Pick<Statement, 'tokenNetwork' | 'channelId' | 'updatingParticipant'>;

/** One place holds one statement, of up to 16 kB in memory. */
const MOST_PLACES = 5_000;
const MOST_OF_SIGNER = 64;

export function createWaitingRoom(mostPlaces = MOST_PLACES, mostOfSigner = MOST_OF_SIGNER) {
  /** The signer who was heard last is the last one, and so is the statement that came last. */
  const signers = new Map<Address, Map<string, Statement>>();
  let size = 0;

  function remove(signer: Address, name: string): Statement | null {
    const places = signers.get(signer);
    const statement = places?.get(name) ?? null;
    if (places === undefined || statement === null) return null;
    places.delete(name);
    size -= 1;
    if (places.size === 0) signers.delete(signer);
    return statement;
  }

  function removeOldest(signer: Address | undefined): void {
    if (signer === undefined) return;
    const [oldest] = signers.get(signer)?.keys() ?? [];
    if (oldest !== undefined) remove(signer, oldest);
  }

  return {
    /** In place of an earlier one of its kind. The signature was checked: nobody speaks in another's place. */
    add(statement: Statement): void {
      const { type, updatingParticipant: signer } = statement;
      const name = nameOf(type, statement);
      remove(signer, name);
      const places = signers.get(signer) ?? new Map<string, Statement>();
      signers.delete(signer);
      signers.set(signer, places.set(name, statement));
      size += 1;
      if (places.size > mostOfSigner) removeOldest(signer);
      if (size > mostPlaces) removeOldest(signers.keys().next().value);
    },
    /** Everything that waits for the channel of this participant; its places are empty then. */
    take(place: Place): Statement[] {
      const found = KINDS.map((type) => remove(place.updatingParticipant, nameOf(type, place)));
      return found.filter((statement) => statement !== null);
    },
    size: () => size,
  };
}

const KINDS: readonly Statement['type'][] = ['PFSCapacityUpdate', 'PFSFeeUpdate'];

function nameOf(type: Statement['type'], { tokenNetwork, channelId }: Place): string {
  return `${type} ${tokenNetwork} ${channelId}`;
}
