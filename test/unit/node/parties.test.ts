/** Between whom a payment is whose lock is pending in a channel. */
import { describe, expect, it } from 'vitest';
import { type StoredState, stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { receivedIn, sentIn } from '../../../src/node/runtime/actors/parties.ts';
import { heldTransfer, keeper } from '../../support/keeper-makers.ts';
import { CHANNEL, hashOf, OWN, PARTNER, STRANGER } from '../../support/makers.ts';
import { forMediator, mediator, PAYEE_CHANNEL } from '../../support/mediation-makers.ts';
import { initiator, OTHER_CHANNEL, orderOf, target } from '../../support/payment-makers.ts';

type Living = { snapshot: Pick<StoredState, 'value' | 'context'> & { context: { id: string } } };

/** The actors of a node, found by their ids. */
function living(...actors: Living[]) {
  return {
    stateOf(id: string): StoredState | null {
      const one = actors.find(({ snapshot }) => snapshot.context.id === id);
      return one === undefined ? null : stateFrom(id, one.snapshot);
    },
  };
}

const paying = initiator({ order: orderOf({ target: STRANGER, paymentId: 7n }) });
const passing = mediator({ paymentId: 8n });
const passedOn = passing.tell(forMediator.forwarded());
const paid = target({ paymentId: 9n, initiator: STRANGER });
const ofPassed = { role: 'mediator', initiator: PARTNER, target: STRANGER, paymentId: 8n };
const elsewhere = { ...passing.snapshot.context.payer, channel: OTHER_CHANNEL };
const none = living();

describe('the parties of a lock that this node has sent', () => {
  const sent = (actors: ReturnType<typeof living>, channel: string, n = 1) =>
    sentIn(actors, channel, hashOf(n));

  it('are this node and whom it pays', () => {
    const parties = { role: 'initiator', initiator: OWN, target: STRANGER, paymentId: 7n };
    expect(sent(living(paying), CHANNEL)).toEqual(parties);
  });

  it('are those of the transfer that this node passes on', () => {
    expect(sent(living(passedOn), PAYEE_CHANNEL)).toEqual(ofPassed);
  });

  it('are not known when no payment has its lock there', () => {
    expect(sent(none, CHANNEL)).toBeNull();
    expect(sent(living(paying), CHANNEL, 2)).toBeNull();
    expect(sent(living(paying), OTHER_CHANNEL)).toBeNull();
    expect(sent(living(passedOn), CHANNEL)).toBeNull();
    expect(sent(living(passing), PAYEE_CHANNEL)).toBeNull();
    expect(sent(living(paid, keeper({ side: 'own', transfer: heldTransfer })), CHANNEL)).toBeNull();
  });
});

describe('the parties of a lock that this node was sent', () => {
  const received = (actors: ReturnType<typeof living>, channel: string, n = 1) =>
    receivedIn(actors, channel, hashOf(n));

  it('are who pays and this node', () => {
    const parties = { role: 'target', initiator: STRANGER, target: OWN, paymentId: 9n };
    expect(received(living(paid), CHANNEL)).toEqual(parties);
  });

  it('are those of the transfer that this node passes on', () => {
    for (const one of [passing, passedOn]) expect(received(living(one), CHANNEL)).toEqual(ofPassed);
  });

  it('are those that its transfer stated when nothing depends on it', () => {
    const held = keeper({ transfer: heldTransfer });
    expect(received(living(held), CHANNEL)).toEqual(heldTransfer);
    expect(received(living(held, paying), CHANNEL)).toEqual(heldTransfer);
    expect(received(living(keeper()), CHANNEL)).toBeNull();
  });

  it('are told of each lock with the same secrethash by itself', () => {
    const held = keeper({ transfer: heldTransfer });
    for (const one of [target({ channel: OTHER_CHANNEL }), mediator({ payer: elsewhere })]) {
      expect(received(living(one, held), CHANNEL)).toEqual(heldTransfer);
      expect(received(living(one), CHANNEL)).toBeNull();
    }
  });

  it('are not known when no payment has its lock there', () => {
    expect(received(none, CHANNEL)).toBeNull();
    expect(received(living(paid), CHANNEL, 2)).toBeNull();
    expect(received(living(passedOn), PAYEE_CHANNEL)).toBeNull();
    const ours = keeper({ side: 'own', transfer: heldTransfer });
    expect(received(living(ours), CHANNEL)).toBeNull();
  });
});
