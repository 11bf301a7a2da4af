/** What becomes of the effects that the actors of a turn ask for. */

import { describe, expect, it } from 'vitest';
import { USER_DEPOSIT, withdrawalActorId } from '../../../machines/base/actor-ids.ts';
import type { Effect, Spawn } from '../../../machines/effects.ts';
import { hopName } from '../../../machines/events/notices.ts';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import {
  addLock,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
} from '../../support/channel-makers.ts';
import { ignored, onDisk } from '../../support/engine.ts';
import { keeperInput } from '../../support/keeper-makers.ts';
import { CHANNEL, hashOf, NETWORK, OWN, PARTNER, STRANGER, TOKEN } from '../../support/makers.ts';
import { PAYEE } from '../../support/mediation-makers.ts';
import { effectOf } from '../../support/played.ts';
import { proofOf } from '../../support/store.ts';

type Node = ReturnType<typeof onDisk>;

/** A turn in which the node asks for these effects, and its commit. */
function asks(node: Node, ...effects: Effect[]) {
  for (const effect of effects) node.collect('node', effect);
  node.turn([ignored]);
  node.flush();
}
function written(...effects: Effect[]) {
  const node = onDisk();
  asks(node, ...effects);
  return node.batches;
}

const FACTS = {
  token: TOKEN,
  tokenNetwork: NETWORK,
  secrethash: hashOf(1),
  paymentId: 1n,
  channel: CHANNEL,
  amount: 5n,
} as const;
const MEDIATED = {
  type: 'record.mediated',
  token: TOKEN,
  tokenNetwork: NETWORK,
  payer: PARTNER,
  fee: 1n,
} as const;

/** A channel has everything that one is spawned with. */
const input = openChannel().snapshot.context;
const channelSpawn: Spawn = { type: 'spawn.channel', id: CHANNEL, input };

describe('what a turn records', () => {
  const toPartner = { ...FACTS, target: PARTNER, attempts: 1 };
  it.each<[string, Effect]>([
    ['proofs', proofOf({})],
    ['alerts', { type: 'record.alert', alert: 'unanswered_lock', channel: CHANNEL, detail: '' }],
    ['mediations', { ...MEDIATED, secrethash: hashOf(1) }],
    ['payments', { type: 'record.paymentSent', ...toPartner }],
    ['payments', { type: 'record.paymentFailed', ...toPartner, code: 'no_route', reason: '' }],
    ['payments', { type: 'record.paymentReceived', ...FACTS, initiator: PARTNER }],
  ])('is among the %s of its commit, and nothing else follows from it', (name, record) => {
    const node = onDisk();
    asks(node, record);
    expect(node.batches).toMatchObject([{ [name]: [record] }]);
    expect(node.performed).toEqual([]);
  });
});

it('a turn charges a forced registration to the payer, in its commit', () => {
  const node = onDisk();
  asks(node, { type: 'record.forced', payer: PARTNER });
  expect(node.batches).toMatchObject([{ forced: [{ account: PARTNER }] }]);
  expect(node.performed).toEqual([]);
});

it('a turn counts a late secret in the commit that pays for it', () => {
  const node = onDisk();
  asks(node, { type: 'record.late' });
  expect(node.batches).toMatchObject([{ forced: [{ account: 'late secrets' }] }]);
  expect(node.performed).toEqual([]);
});

describe('a message that a turn asks for', () => {
  const channel = openChannel();
  /** The transfers of locks 1 and 2, with nonces 1 and 2. */
  const first = effectOf(channel.tell(addLock()), 'send.message');
  const second = effectOf(channel.tell(addLock()).tell(addLock({ n: 2 })), 'send.message');
  const transfers: Effect[] = [
    { ...first, messageId: 11n },
    { ...second, messageId: 12n },
  ];
  const keys = [first.key, second.key];

  it('is published once it is on disk, by its key and number', () => {
    const node = onDisk();
    asks(node, ...transfers);
    expect(node.batches).toMatchObject([{ outbox: keys.map((key) => ({ key })) }]);
    expect(node.performed).toEqual([
      { type: 'publish', key: first.key, messageId: 11n },
      { type: 'publish', key: second.key, messageId: 12n },
    ]);
  });

  it('is gone with the part of its queue that the partner has', () => {
    const done = (upToNonce: bigint | null): Effect => ({
      type: 'done.queue',
      queue: CHANNEL,
      upToNonce,
    });
    const node = onDisk();
    asks(node, ...transfers);
    asks(node, done(1n));
    expect(node.batches[1]).toMatchObject({ outboxDone: [first.key] });
    asks(node, done(null));
    expect(node.batches[2]).toMatchObject({ outboxDone: [second.key] });
  });

  it('never reaches the disk when it is done in the same batch', () => {
    const [batch, ...others] = written(...transfers, { type: 'done.message', key: first.key });
    expect(batch).toMatchObject({ outbox: [{ key: second.key }], outboxDone: [] });
    expect(others).toEqual([]);
  });

  it('is deleted from the disk when one with its key was there, and the new one is done at once', () => {
    const node = onDisk();
    asks(node, { ...first, messageId: 11n });
    asks(node, { ...first, messageId: 12n }, { type: 'done.message', key: first.key });
    expect(node.batches[1]).toMatchObject({ outbox: [], outboxDone: [first.key] });
  });

  it('is not deleted by an acknowledgement of something else', () => {
    const node = onDisk();
    asks(node, ...transfers);
    node.acknowledge(99n, PARTNER);
    node.acknowledge(11n, NETWORK);
    node.writeDone();
    expect(node.batches).toHaveLength(1);
  });
});

describe('a word to the channel with the next hop', () => {
  const metadata = routesMetadata([PARTNER, OWN, PAYEE, STRANGER]);
  const lock = partnersLock({ target: STRANGER, metadata });
  const passing = openChannel().tell(received(partnersChannel({}).tell(lock)));
  const mediator = effectOf(passing, 'spawn.mediator');
  const hop = hopName(TOKEN, PAYEE);

  /** What was told to whom, by whom, when the hop's name stands for this actor. */
  function told(actor: string | null) {
    const node = onDisk({ resolve: (name) => (name === hop ? actor : name) });
    asks(node, channelSpawn, mediator);
    return node
      .rows()
      .filter(({ kind, cause }) => kind === 'event' && cause === mediator.id)
      .map(({ actor, event, causedBy }) => {
        const { type, to } = JSON.parse(event);
        return [actor, type, to, node.rows()[causedBy ?? -1]?.kind];
      });
  }

  it('reaches the actor for which its name stands', () => {
    expect(told(CHANNEL)[0]).toEqual([CHANNEL, 'actor.forwardLock', undefined, 'spawn']);
  });

  it('comes back when nobody has the name', () => {
    expect(told(null)[0]).toEqual([mediator.id, 'actor.nobody', hop, 'spawn']);
  });
});

describe('an actor that a turn spawns', () => {
  const withdrawing: Spawn = {
    type: 'spawn.withdrawal',
    id: withdrawalActorId(1),
    input: {
      contract: NETWORK,
      amount: 20n,
      withdrawDelay: 100n,
      withdrawBlock: null,
      requestId: null,
    },
  };
  it.each<Spawn>([
    channelSpawn,
    { type: 'spawn.userDeposit', id: USER_DEPOSIT, input: { id: USER_DEPOSIT } },
    withdrawing,
    { type: 'spawn.keeper', id: keeperInput().id, input: keeperInput() },
  ])('is written, and the node is told of it: $type', (spawn) => {
    const node = onDisk();
    asks(node, spawn);
    expect(node.batches[0]?.actors.map(({ id }) => id)).toEqual([spawn.id]);
    expect(node.rewritten).toEqual([spawn.id]);
    expect(node.told).toEqual([
      expect.stringContaining(`changed: ${spawn.id}`),
      `spawned: ${spawn.id}`,
      `on disk: ${spawn.id}`,
    ]);
  });

  it('is in the list of channels if it is one, and only then', () => {
    expect(written(channelSpawn)).toMatchObject([
      { channels: [{ id: CHANNEL, token: TOKEN, partner: PARTNER, openBlock: input.openBlock }] },
    ]);
    expect(written(withdrawing)).toMatchObject([{ channels: [] }]);
  });
});

describe('an actor that has ended', () => {
  const retire: Effect = { type: 'retire', id: CHANNEL };

  it('is out of the directory, and its proofs can go when it was a channel', () => {
    const node = onDisk();
    asks(node, channelSpawn, { type: 'spawn.keeper', id: keeperInput().id, input: keeperInput() });
    node.told.length = 0;
    asks(node, retire, { type: 'retire', id: keeperInput().id });
    expect(node.told.slice(0, 2)).toEqual([`ended: ${CHANNEL}`, `ended: ${keeperInput().id}`]);
    expect(node.performed).toEqual([{ type: 'sweep' }]);
    const retired = [CHANNEL, keeperInput().id];
    expect(node.batches[1]).toMatchObject({ retired, gone: [CHANNEL], actors: [] });
  });

  it('has its last state in the journal', () => {
    const node = onDisk();
    asks(node, channelSpawn);
    asks(node, retire);
    const facts = { actor: CHANNEL, cause: 'outside', causedBy: null };
    expect(node.rows().at(-1)).toMatchObject({ kind: 'stop', ...facts, block: node.clock.block });
  });
});
