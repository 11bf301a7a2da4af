/**
 * Statements about channels whose opening is not confirmed yet. Their number is bounded, because anybody can make
 * statements about channels that never appear: a signer with too many loses its own oldest one. When all places are
 * taken, the signer that was heard least recently loses its oldest one.
 */
import type { Address } from '../basics/hex.ts';
import type { ServiceMessage } from '../protocol/services/service-message-types.ts';

export type Statement = Extract<
  ServiceMessage,
  { type: 'PFSCapacityUpdate' } | { type: 'PFSFeeUpdate' }
>;
type Place = Pick<Statement, 'tokenNetwork' | 'channelId' | 'updatingParticipant'>;

/** One place holds one statement, of up to 16 kB in memory. */
const MOST_PLACES = 5_000;
const MOST_OF_SIGNER = 64;

export function createWaitingRoom(mostPlaces = MOST_PLACES, mostOfSigner = MOST_OF_SIGNER) {
  /** Signers in the order in which they were last heard, each with its statements in the order in which they came. */
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
    /**
     * Keeps a statement, in place of an earlier one of the same kind, signer and channel. Its signature was checked,
     * so nobody can replace the statement of another.
     */
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
    /** Takes out all statements of this participant about the channel. */
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
