/** How actors begin and end within a turn. */
import { describe, expect, it } from 'vitest';
import type { PaymentOrder } from '../../../machines/base/inputs.ts';
import type { Effect, Spawn } from '../../../machines/effects.ts';
import { keeperId } from '../../../machines/keeper/keeping.ts';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  openChannel,
  partnersChannel,
  partnersLock,
  received,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import { ignored, onDisk } from '../../support/engine.ts';
import { keeperInput } from '../../support/keeper-makers.ts';
import { CHANNEL, hashOf, OWN, PARTNER, STRANGER } from '../../support/makers.ts';
import { PAYEE } from '../../support/mediation-makers.ts';
import { initiator, OTHER_CHANNEL, orderOf } from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';

const KEEPER = keeperId(CHANNEL, 'partner', hashOf(1));
const MEDIATOR = `mediator:${hashOf(1)}`;
const TARGET = `target:${hashOf(1)}`;

const target: Spawn = effectOf(withPartnersLock().ours, 'judge.lock').taken;
const metadata = routesMetadata([PARTNER, OWN, PAYEE, STRANGER]);
const passing = partnersChannel({}).tell(partnersLock({ target: STRANGER, metadata }));
const mediator: Spawn = effectOf(openChannel().tell(received(passing)), 'spawn.mediator');
const keeper: Spawn = { type: 'spawn.keeper', id: KEEPER, input: keeperInput() };
function sending(): Spawn {
  const { id, own, confirmations } = initiator().snapshot.context;
  return { type: 'spawn.initiator', id, input: { id, own, confirmations, order: orderOf() } };
}
/** A payment to oneself that left by this channel. */
function sendingHome(channel: string, parts: Partial<PaymentOrder> = {}): Spawn {
  const { id, own, confirmations } = initiator().snapshot.context;
  const order = orderOf({ target: OWN, channel, ...parts });
  return { type: 'spawn.initiator', id, input: { id, own, confirmations, order } };
}
const retire = (id: string): Effect => ({ type: 'retire', id });

/** What the node writes once these effects of its actors have been carried out, each in a turn, each list in a commit. */
function written(...commits: Effect[][]) {
  const node = onDisk();
  for (const effects of commits) {
    for (const effect of effects) {
      node.collect('node', effect);
      node.turn([ignored]);
    }
    node.flush();
  }
  const [last] = node.batches.slice(-1);
  if (last === undefined) throw new Error('nothing was written');
  const { actors, retired, ended } = last;
  return { actors: actors.map(({ id }) => id), retired, ended };
}

describe('a transfer of the partner whose secrethash is in use', () => {
  it.each<[string, Spawn, Spawn]>([
    ['another payment to this node', target, target],
    ['a transfer that is passed on', mediator, target],
    ['a payment to this node, when it should be passed on', target, mediator],
    ['a payment by this node', sending(), target],
  ])('gets a keeper beside %s', (_, first, second) => {
    expect(written([first, second]).actors).toEqual([first.id, KEEPER]);
    expect(written([first], [second]).actors).toEqual([KEEPER]);
  });

  it.each([target, mediator])('gets one also when that has just ended: $type', (spawn) => {
    expect(written([mediator], [retire(MEDIATOR), spawn]).actors).toEqual([KEEPER]);
  });

  it('gets its target beside a payment to oneself that left by another channel, once', () => {
    const home = sendingHome(OTHER_CHANNEL);
    expect(written([home, target]).actors).toEqual([home.id, TARGET]);
    expect(written([home, target], [target]).actors).toEqual([KEEPER]);
    expect(written([home, target], [retire(TARGET), target]).actors).toEqual([KEEPER]);
    expect(written([home, mediator]).actors).toEqual([home.id, KEEPER]);
  });

  it.each<[string, Spawn]>([
    ['left by the same channel', sendingHome(CHANNEL)],
    ['has another identifier', sendingHome(OTHER_CHANNEL, { paymentId: 2n })],
    ['is in another token', sendingHome(OTHER_CHANNEL, { token: STRANGER })],
    ['is to another node', sendingHome(OTHER_CHANNEL, { target: STRANGER })],
  ])('gets a keeper beside a payment that %s', (_, sent) => {
    expect(written([sent, target]).actors).toEqual([sent.id, KEEPER]);
  });

  it('gets the actor of its payment when it is the first', () => {
    expect(written([target]).actors).toEqual([TARGET]);
    expect(written([mediator]).actors).toEqual([MEDIATOR]);
  });
});

describe('an actor that lives', () => {
  it('is not spawned a second time', () => {
    expect(written([keeper, keeper]).actors).toEqual([KEEPER]);
  });
});

describe('an actor that has ended', () => {
  it('is remembered, so that it is never spawned again', () => {
    expect(written([mediator], [retire(MEDIATOR)])).toEqual({
      actors: [],
      retired: [MEDIATOR],
      ended: [MEDIATOR],
    });
  });

  it('has used its secrethash for ever, from the very turn that spawned it', () => {
    const node = onDisk();
    const isUsed = () => [1, 2].map((n) => node.isSecretUsed(hashOf(n)));
    expect(isUsed()).toEqual([false, false]);
    for (const effect of [sending(), retire(sending().id)]) {
      node.collect('node', effect);
      node.turn([ignored]);
      expect(isUsed()).toEqual([true, false]);
    }
  });

  it('is remembered by its payment in the history, where there is one', () => {
    const { token, tokenNetwork } = effectOf(withPartnersLock().ours, 'judge.lock').taken.input;
    const facts = { token, tokenNetwork, paymentId: 1n, amount: 10n, channel: CHANNEL };
    const paid = (n: number): Effect => ({
      type: 'record.paymentReceived',
      ...facts,
      secrethash: hashOf(n),
      initiator: PARTNER,
    });
    const over = [retire(TARGET)];
    expect(written([target], [paid(1), ...over])).toMatchObject({ retired: [TARGET], ended: [] });
    expect(written([target], [paid(2), ...over])).toMatchObject({ ended: [TARGET] });
  });

  it('may be a keeper, which lives again when a reorganisation brings its lock back', () => {
    const gone: Effect = {
      type: 'notify',
      to: KEEPER,
      event: { type: 'actor.lockGone', channel: CHANNEL },
    };
    const over = { actors: [], retired: [KEEPER], ended: [] };
    expect(written([keeper], [gone])).toEqual(over);
    const back = { actors: [KEEPER], retired: [], ended: [] };
    expect(written([keeper], [gone, keeper])).toEqual(back);
    const other = written([mediator, keeper], [retire(MEDIATOR), gone, keeper]);
    expect(other).toEqual({ actors: [KEEPER], retired: [MEDIATOR], ended: [MEDIATOR] });
  });
});
