/** When a batch is so large that it is written before more is handled. */
import { describe, expect, it } from 'vitest';
import { keeperId } from '../../../machines/keeper/keeping.ts';
import { ignored, onDisk } from '../../support/engine.ts';
import { keeperInput } from '../../support/keeper-makers.ts';
import { CHANNEL, hashOf, NETWORK, OWN, PARTNER } from '../../support/makers.ts';

type Node = ReturnType<typeof onDisk>;

/** A turn that spawns so many keepers. */
function spawns(node: Node, count: number) {
  for (let n = 1; n <= count; n++) {
    const id = keeperId(CHANNEL, 'partner', hashOf(n));
    const input = keeperInput({ id, secrethash: hashOf(n) });
    node.collect('node', { type: 'spawn.keeper', id, input });
  }
  node.turn([ignored]);
}

/** A turn that sends so many messages. */
function sends(node: Node, count: number) {
  const place = { chainId: 1n, tokenNetwork: NETWORK, channelId: 1n };
  const facts = { participant: OWN, totalWithdraw: 30n, expiration: 90n, nonce: 1n };
  const message = { type: 'WithdrawExpired', ...place, ...facts } as const;
  for (let n = 0; n < count; n++) {
    const messageId = BigInt(n);
    const to = { key: `expired:${n}`, to: PARTNER, queue: null, messageId };
    node.collect('node', { type: 'send.message', ...to, message });
  }
  node.turn([ignored]);
}

/** How many turns it takes until a batch is written in the round that fills it: those that fill it twice. */
function turnsUntilFull(node: Node): number {
  const before = node.batches.length;
  for (let turns = 1; ; turns++) {
    node.collect('node', { type: 'reply.error', requestId: 'r', code: 'busy', detail: '' });
    node.collect('node', { type: 'tx.registerSecret', ...job });
    node.turn([ignored]);
    if (node.batches.length > before) return turns;
  }
}
const job = { from: 'node', key: 'job', deadlineBlock: null, secret: hashOf(1) } as const;

describe('a batch', () => {
  it('is written at once when it has 512 rows, of actors and of the journal together', () => {
    const node = onDisk();
    spawns(node, 254);
    expect(node.batches).toEqual([]);
    spawns(node, 255);
    spawns(node, 256);
    expect(node.batches).toHaveLength(1);
  });

  it('counts the messages among its rows', () => {
    const node = onDisk();
    sends(node, 506);
    expect(node.batches).toEqual([]);
    sends(node, 512);
    expect(node.batches).toHaveLength(1);
  });

  it('takes more turns when full ones are written quickly', () => {
    const node = onDisk();
    node.clock.now = 1_700_000_000_000;
    expect(turnsUntilFull(node)).toBe(128);
    expect(turnsUntilFull(node)).toBe(256);
  });
});
