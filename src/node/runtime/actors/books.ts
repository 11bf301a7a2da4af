/**
 * The books: for each pending lock of each channel exactly one living actor is responsible (it "answers" for the lock).
 * While a channel can sign, each lock of either side has one payment actor, or one keeper. Once the channel signs nothing
 * any more, only the chain decides over our own locks, and the channel itself looks after them: its state tells so. The
 * partner's locks keep their actor until the channel is gone, because their secrets may still have to reach the chain.
 * A lock without one is money that nobody claims in time or takes back. The books are checked when a node starts, while
 * its actors are read anyway, and in tests after every commit.
 */
import type { ChannelContext } from '../../../../machines/channel/context.ts';
import type { LockSide } from '../../../../machines/keeper/keeping.ts';
import { channelTags, mediatorTags } from '../../../../machines/tags.ts';
import type { Hash } from '../../../basics/hex.ts';
import type { Actors } from './actors.ts';
import type { StoredState } from './kinds.ts';

/** A lock with the actors that are responsible for it: none, or too many. */
export type WrongLock = {
  channel: string;
  side: LockSide;
  secrethash: Hash;
  expiration: bigint;
  answerers: readonly string[];
};
type Stored<K extends StoredState['kind']> = Extract<StoredState, { kind: K }>;
type Place = Pick<WrongLock, 'channel' | 'side' | 'secrethash'>;

const keyOf = ({ channel, side, secrethash }: Place) => `${side} ${channel} ${secrethash}`;

export function createBooks() {
  const locks: Omit<WrongLock, 'answerers'>[] = [];
  const answerers = new Map<string, string[]>();

  function answers(id: string, place: Place) {
    const key = keyOf(place);
    const known = answerers.get(key);
    if (known === undefined) answerers.set(key, [id]);
    else known.push(id);
  }

  return {
    /** Notes one living actor. */
    note(id: string, actor: StoredState) {
      if (actor.kind === 'channel') locks.push(...locksOf(id, actor));
      else for (const place of answeredBy(actor)) answers(id, place);
    },
    /** To be called after all actors were noted: the locks without exactly one responsible actor. */
    wrong: (): WrongLock[] =>
      locks
        .map((place) => ({ ...place, answerers: answerers.get(keyOf(place)) ?? [] }))
        .filter((lock) => lock.answerers.length !== 1),
  };
}

/** The locks of a channel for which the channel itself is not responsible. */
function locksOf(channel: string, { value, context }: Stored<'channel'>) {
  const { ownEnd, partnerEnd } = context;
  const of = (side: LockSide, { locks }: ChannelContext['ownEnd']) =>
    locks.map(({ secrethash, expiration }) => ({ channel, side, secrethash, expiration }));
  const own = channelTags(value).has('signsForLocks') ? of('own', ownEnd) : [];
  return [...own, ...of('partner', partnerEnd)];
}

function answeredBy(actor: StoredState): Place[] {
  switch (actor.kind) {
    case 'initiator': {
      const { channel, secrethash } = actor.context.order;
      return actor.context.expiration === null ? [] : [{ channel, side: 'own', secrethash }];
    }
    case 'mediator':
      return mediatedLocks(actor);
    case 'target': {
      const { channel, secrethash } = actor.context;
      return [{ channel, side: 'partner', secrethash }];
    }
    case 'keeper': {
      const { channel, side, secrethash } = actor.context;
      return [{ channel, side, secrethash }];
    }
    default:
      return [];
  }
}

function mediatedLocks({ value, context }: Stored<'mediator'>): Place[] {
  const { payer, payee, secrethash } = context;
  const tags = mediatorTags(value);
  const places: Place[] = [];
  if (tags.has('answersForPayer'))
    places.push({ channel: payer.channel, side: 'partner', secrethash });
  if (payee !== null && tags.has('answersForPayee'))
    places.push({ channel: payee.channel, side: 'own', secrethash });
  return places;
}

/** Throws when the books are wrong; tests call it after every commit. */
export function expectBooks(actors: Pick<Actors, 'ids' | 'stateOf'>): void {
  const books = createBooks();
  for (const id of actors.ids()) {
    const state = actors.stateOf(id);
    if (state !== null) books.note(id, state);
  }
  const [wrong] = books.wrong();
  if (wrong === undefined) return;
  const who = wrong.answerers.length === 0 ? 'nobody' : wrong.answerers.join(' and ');
  throw new Error(`books: ${who} answers for the lock ${keyOf(wrong)}`);
}
