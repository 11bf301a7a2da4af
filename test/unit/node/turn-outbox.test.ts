import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Effect, Send } from '../../../machines/effects.ts';
import { ignored, onDisk } from '../../support/engine.ts';
import { NETWORK, OWN, PARTNER } from '../../support/makers.ts';

const KEY = 'expired:1';

function withdrawExpired(messageId: bigint): Send {
  const place = { chainId: 1n, tokenNetwork: NETWORK, channelId: 1n };
  const facts = { participant: OWN, totalWithdraw: 30n, expiration: 90n, nonce: 1n };
  const message = { type: 'WithdrawExpired', ...place, ...facts } as const;
  return { type: 'send.message', key: KEY, to: PARTNER, queue: null, messageId, message };
}

type Node = ReturnType<typeof onDisk>;
function asksFor(node: Node, ...effects: Effect[]) {
  for (const effect of effects) node.collect('node', effect);
  node.turn([ignored]);
}

/** A node whose message is on disk and on its way to the partner. */
function waiting() {
  const node = onDisk();
  asksFor(node, withdrawExpired(5n));
  node.flush();
  node.batches.length = 0;
  return node;
}

describe('an acknowledged message', () => {
  it('causes no commit of its own', async () => {
    const node = waiting();
    node.acknowledge(5n, PARTNER);
    await nextTick();
    expect(node.batches).toEqual([]);
  });

  it('is deleted from the disk by the next commit', () => {
    const node = waiting();
    node.acknowledge(5n, PARTNER);
    asksFor(node, withdrawExpired(6n));
    node.flush();
    expect(node.batches).toMatchObject([{ outbox: [{ key: KEY, messageId: 6n }], outboxDone: [] }]);
    node.acknowledge(6n, PARTNER);
    node.flush();
    expect(node.batches[1]).toMatchObject({ outbox: [], outboxDone: [KEY] });
  });

  it('is deleted even when another took its key and was done before the commit', () => {
    const node = waiting();
    node.acknowledge(5n, PARTNER);
    asksFor(node, withdrawExpired(6n), { type: 'done.message', key: KEY });
    node.flush();
    expect(node.batches).toMatchObject([{ outbox: [], outboxDone: [KEY] }]);
  });

  it('is deleted soon when no other commit comes', () => {
    const node = waiting();
    node.acknowledge(5n, PARTNER);
    node.writeDone();
    expect(node.batches).toMatchObject([{ outboxDone: [KEY] }]);
  });

  it('is deleted when the node closes', () => {
    const node = waiting();
    node.acknowledge(5n, PARTNER);
    node.close();
    expect(node.batches).toMatchObject([{ outboxDone: [KEY] }]);
  });
});
