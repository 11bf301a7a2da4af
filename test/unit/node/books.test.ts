import { describe, expect, it } from 'vitest';
import { createBooks, expectBooks } from '../../../src/node/runtime/actors/books.ts';
import { type StoredState, stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { addLock, withPartnersLock } from '../../support/channel-makers.ts';
import { keeper, keeperInput } from '../../support/keeper-makers.ts';
import {
  blockReached,
  CHANNEL,
  closed,
  EXPIRATION,
  hashOf,
  PARTNER,
} from '../../support/makers.ts';
import { forMediator, mediator, PAYEE_CHANNEL } from '../../support/mediation-makers.ts';
import {
  forInitiator,
  initiator,
  lockEnded,
  orderOf,
  revealSecret,
  target,
} from '../../support/payment-makers.ts';

type Living = { snapshot: Pick<StoredState, 'value' | 'context'> & { machine: { id: string } } };

/** Charts are called as the kinds of their actors are; the names of these tests are not. */
const stateOf = ({ snapshot }: Living) => stateFrom(snapshot.machine.id, snapshot);

/** A channel with a lock of each side, 1 of the partner and 2 of our own. */
const channel = withPartnersLock().ours.tell(addLock({ n: 2 }));
const sent = initiator({ order: orderOf({ secrethash: hashOf(2), channel: CHANNEL }) }).tell(
  forInitiator.lockAdded,
);
const ofSent = keeper({ side: 'own', secrethash: hashOf(2) });

function wrongIn(actors: Record<string, Living>): string[] {
  const books = createBooks();
  for (const [id, living] of Object.entries(actors)) books.note(id, stateOf(living));
  return books
    .wrong()
    .map(({ side, answerers }) => [side, ...answerers].join(' '))
    .sort();
}
const withSent = (others: Record<string, Living>, of: Living = channel) =>
  wrongIn({ [CHANNEL]: of, sent, ...others });

describe('the books', () => {
  it('find every lock that nobody answers for', () => {
    expect(wrongIn({ [CHANNEL]: channel })).toEqual(['own', 'partner']);
  });

  it.each<[string, Living]>([
    ['the target of a payment', target()],
    ['a mediator that was given the lock', mediator()],
    ['a keeper', keeper()],
  ])('are right when the partner’s lock has %s', (_, one) => {
    expect(withSent({ one })).toEqual([]);
  });

  it('are right when our lock has a mediator or a keeper', () => {
    const facts = { secrethash: hashOf(2) };
    const passed = { ...forMediator.forwarded(), channel: CHANNEL };
    const payer = { ...mediator().snapshot.context.payer, channel: 'channel:other:1' };
    const paying = mediator({ ...facts, payer }).tell(passed);
    const held = { held: target() };
    expect(wrongIn({ [CHANNEL]: channel, paying, ...held })).toEqual([]);
    expect(wrongIn({ [CHANNEL]: channel, ofSent, ...held })).toEqual([]);
  });

  it('find a lock for which two answer', () => {
    expect(withSent({ one: target(), two: keeper() })).toEqual(['partner one two']);
  });

  it('do not count an actor that answers for another channel, side or secrethash', () => {
    const elsewhere = keeperInput({ channel: PAYEE_CHANNEL });
    const others = [keeper(elsewhere), keeper({ side: 'own' }), keeper({ secrethash: hashOf(3) })];
    for (const one of others) expect(withSent({ one })).toEqual(['partner']);
  });

  it('count a mediator only for the sides that are not over', () => {
    const paid = mediator().tell(forMediator.forwarded(), revealSecret(), lockEnded.unlocked());
    expect(withSent({ one: paid })).toEqual(['partner']);
    const waiting = mediator().tell(blockReached(EXPIRATION));
    expect(withSent({ one: waiting })).toEqual([]);
  });

  it('count no mediator for the lock of a payee that is paid', () => {
    const payer = { ...mediator().snapshot.context.payer, channel: 'channel:other:1' };
    const passed = { ...forMediator.forwarded(), channel: CHANNEL };
    const paying = mediator({ secrethash: hashOf(2), payer }).tell(passed);
    const held = { held: target() };
    expect(wrongIn({ [CHANNEL]: channel, paying, ...held })).toEqual([]);
    const over = paying.tell(revealSecret(PARTNER, 2));
    expect(wrongIn({ [CHANNEL]: channel, over, ...held })).toEqual(['own']);
  });

  it('let a closed channel answer for its own locks, not for the partner’s', () => {
    const over = channel.tell(closed(PARTNER));
    expect(wrongIn({ [CHANNEL]: over })).toEqual(['partner']);
    expect(withSent({ one: target() }, over)).toEqual([]);
  });

  it('make a test fail when something is wrong', () => {
    const all: Record<string, Living> = { [CHANNEL]: channel, sent };
    const actors = {
      ids: () => Object.keys(all),
      stateOf(id: string) {
        const actor = all[id];
        return actor === undefined ? null : stateOf(actor);
      },
    };
    expect(() => expectBooks(actors)).toThrow(/nobody answers for the lock partner/);
    all['target'] = target();
    expect(() => expectBooks(actors)).not.toThrow();
  });
});
