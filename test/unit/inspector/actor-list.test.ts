import { describe, expect, it } from 'vitest';
import {
  type ActorsFilter,
  endedRow,
  isWanted,
  listedActor,
} from '../../../src/inspector/actor-list.ts';
import { type StoredState, stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { addLock, openChannel } from '../../support/channel-makers.ts';
import {
  CHANNEL,
  CONFIRMATIONS,
  EXPIRATION,
  hashOf,
  OWN,
  PARTNER,
  STRANGER,
  TOKEN,
} from '../../support/makers.ts';
import { forMediator, mediator, PAYEE } from '../../support/mediation-makers.ts';
import {
  forInitiator,
  initiator,
  NETWORK_ACTOR,
  node,
  orderOf,
  target,
  tokenNetwork,
} from '../../support/payment-makers.ts';

const ALL: ActorsFilter = { machine: null, state: null, token: null, partner: null, payment: null };

type Stored = Pick<StoredState, 'value' | 'context'>;
const rowOf = (actor: string, snapshot: Stored) => listedActor(actor, stateFrom(actor, snapshot));

/** Whether the filter finds the actor. */
function finds(filter: Partial<ActorsFilter>, actor: string, { snapshot }: { snapshot: Stored }) {
  const row = rowOf(actor, snapshot);
  return isWanted({ ...ALL, ...filter }, row, snapshot.context);
}

const INITIATOR = `initiator:${hashOf(1)}`;
const MEDIATOR = `mediator:${hashOf(1)}`;
const NOTHING = {
  token: null,
  partner: null,
  initiator: null,
  target: null,
  balances: null,
  paymentId: null,
  amount: null,
  deadlineBlock: null,
};

describe('a row of the list of actors', () => {
  it('of a channel has its partner, both balances and its nearest deadline', () => {
    const { snapshot } = openChannel().tell(addLock());
    expect(rowOf(CHANNEL, snapshot)).toEqual({
      ...NOTHING,
      actor: CHANNEL,
      machine: 'channel',
      state: 'opened.deposit.idle+withdraw.idle',
      token: TOKEN,
      partner: PARTNER,
      balances: { own: 100n, partner: 100n },
      deadlineBlock: EXPIRATION + 2n * CONFIRMATIONS,
      isEnded: false,
      endTime: null,
    });
  });

  it('of a payment has its identifier and its amount', () => {
    const payment = { token: TOKEN, partner: PARTNER, paymentId: 1n, amount: 10n };
    const locked = initiator().tell(forInitiator.lockAdded);
    expect(rowOf(INITIATOR, locked.snapshot)).toMatchObject({ ...payment, state: 'locked' });
    expect(rowOf(MEDIATOR, mediator().snapshot)).toMatchObject(payment);
    const paid = target({ initiator: STRANGER });
    expect(rowOf(`target:${hashOf(1)}`, paid.snapshot)).toMatchObject({
      ...payment,
      initiator: STRANGER,
    });
  });

  it('of anything else has what there is', () => {
    expect(rowOf('node', node().snapshot)).toMatchObject({ ...NOTHING, machine: 'node' });
    const { snapshot } = tokenNetwork();
    expect(rowOf(NETWORK_ACTOR, snapshot)).toMatchObject({ ...NOTHING, token: TOKEN });
  });

  it('has no deadline once the actor has ended', () => {
    const spawned = { id: INITIATOR, own: OWN, confirmations: CONFIRMATIONS, order: orderOf() };
    expect(endedRow({ actor: INITIATOR, state: 'paid', time: 1_700 }, spawned)).toEqual({
      actor: INITIATOR,
      machine: 'initiator',
      state: 'paid',
      token: TOKEN,
      partner: PARTNER,
      initiator: null,
      target: PARTNER,
      balances: null,
      paymentId: 1n,
      amount: 10n,
      deadlineBlock: null,
      isEnded: true,
      endTime: 1_700,
    });
    expect(endedRow({ actor: CHANNEL, state: 'gone', time: null }, null)).toMatchObject({
      ...NOTHING,
      machine: 'channel',
    });
  });
});

describe('a filter of the list of actors', () => {
  const channel = openChannel().tell(addLock());

  it('finds by machine and by a state or one that it is part of', () => {
    expect(finds({ machine: 'channel' }, CHANNEL, channel)).toBe(true);
    expect(finds({ machine: 'target' }, CHANNEL, channel)).toBe(false);
    expect(finds({ machine: 'target,channel' }, CHANNEL, channel)).toBe(true);
    expect(finds({ state: 'opened' }, CHANNEL, channel)).toBe(true);
    expect(finds({ state: 'opened.deposit.idle' }, CHANNEL, channel)).toBe(true);
    expect(finds({ state: 'open' }, CHANNEL, channel)).toBe(false);
    expect(finds({ state: 'payee.waiting' }, MEDIATOR, mediator())).toBe(true);
  });

  it('finds by token and partner in any case of their letters', () => {
    expect(finds({ token: TOKEN.toLowerCase() }, CHANNEL, channel)).toBe(true);
    expect(finds({ token: PARTNER }, CHANNEL, channel)).toBe(false);
    expect(finds({ partner: PARTNER.toLowerCase() }, CHANNEL, channel)).toBe(true);
    expect(finds({ partner: STRANGER }, CHANNEL, channel)).toBe(false);
  });

  it('finds a payment by its target, and a transfer by whom it goes on to', () => {
    const through = initiator({ order: orderOf({ partner: STRANGER, target: PARTNER }) });
    expect(finds({ partner: PARTNER }, INITIATOR, through)).toBe(true);
    expect(finds({ partner: PAYEE }, MEDIATOR, mediator())).toBe(false);
    const forwarded = mediator().tell(forMediator.forwarded());
    expect(finds({ partner: PAYEE }, MEDIATOR, forwarded)).toBe(true);
  });

  it('finds what belongs to a payment by its identifier or its secrethash', () => {
    expect(finds({ payment: '1' }, INITIATOR, initiator())).toBe(true);
    expect(finds({ payment: '2' }, INITIATOR, initiator())).toBe(false);
    expect(finds({ payment: hashOf(1) }, INITIATOR, initiator())).toBe(true);
    expect(finds({ payment: hashOf(1) }, CHANNEL, channel)).toBe(true);
    expect(finds({ payment: hashOf(2) }, CHANNEL, channel)).toBe(false);
    expect(finds({ payment: '1' }, CHANNEL, channel)).toBe(false);
  });
});
