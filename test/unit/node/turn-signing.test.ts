/** Channels sign when a batch is about to be written, and nothing that they have not signed reaches the disk. */
import { describe, expect, it } from 'vitest';
import type { Spawn } from '../../../machines/effects.ts';
import { stateIn } from '../../../src/node/runtime/actors/kinds.ts';
import { signedRow } from '../../../src/node/runtime/commits/turn.ts';
import {
  addLock,
  expireLock,
  inOneBatch,
  openChannel,
  unlock,
} from '../../support/channel-makers.ts';
import { ignored, onDisk } from '../../support/engine.ts';
import { CHANNEL, deposited, OWN, PARTNER } from '../../support/makers.ts';
import { command, OTHER_CHANNEL } from '../../support/payment-makers.ts';

const input = openChannel().snapshot.context;
const spawns: Spawn[] = [CHANNEL, OTHER_CHANNEL].map((id) => ({
  type: 'spawn.channel',
  id,
  input: { ...input, id },
}));

/** A node with two channels on disk. */
function withChannels() {
  const node = onDisk();
  for (const spawn of spawns) {
    node.collect('node', spawn);
    node.turn([ignored]);
    for (const who of [OWN, PARTNER]) node.turn([{ to: spawn.id, event: deposited(who, 1_000n) }]);
  }
  node.flush();
  for (const before of [node.batches, node.performed, node.told]) before.length = 0;
  return node;
}

const lock = (n: number, to = CHANNEL) => ({ to, event: addLock({ n, amount: 1n }) });

describe('what a batch has changed in a channel', () => {
  it('is one message and one row, however many turns it took; its state on disk is signed', () => {
    const node = withChannels();
    for (let n = 1; n <= 5; n++) node.turn([lock(n)]);
    node.turn([{ to: CHANNEL, event: unlock(1) }]);
    expect(node.batches).toEqual([]);
    node.flush();
    const [batch] = node.batches;
    // The lock that began and ended in one batch parts it in two.
    expect(batch?.proofs.map(({ nonce, changes }) => [nonce, changes.length])).toEqual([
      [1n, 5],
      [2n, 1],
    ]);
    expect(batch?.outbox.map(({ key }) => key)).toEqual([`${CHANNEL}:1`, `${CHANNEL}:2`]);
    const row = batch?.actors.find(({ id }) => id === CHANNEL);
    const state = row === undefined ? null : stateIn(row);
    expect(state?.context).toMatchObject({ unsigned: null, ownEnd: { nonce: 2n, locked: 4n } });
    expect(node.performed.filter(({ type }) => type === 'publish')).toHaveLength(2);
  });

  it('is signed by each channel by itself', () => {
    const node = withChannels();
    node.turn([lock(1), lock(2, OTHER_CHANNEL), lock(3)]);
    node.flush();
    expect(
      node.batches[0]?.proofs.map(({ channel, changes }) => [channel, changes.length]),
    ).toEqual([
      [CHANNEL, 2],
      [OTHER_CHANNEL, 1],
    ]);
  });

  it('is signed before a close, which comes in the same batch', () => {
    const node = withChannels();
    node.turn([lock(1)]);
    node.turn([{ to: CHANNEL, event: command.close() }]);
    node.flush();
    expect(node.batches[0]?.proofs).toHaveLength(1);
    expect(node.batches[0]?.outbox).toHaveLength(1);
    expect(node.batches[0]?.jobs).toHaveLength(1);
  });

  it('is in the journal, which leads to the state in the row', () => {
    const node = withChannels();
    node.turn([lock(1)]);
    node.turn([lock(2)]);
    node.flush();
    const steps = node.batches[0]?.journal.filter(({ actor }) => actor === CHANNEL) ?? [];
    expect(steps.map(({ event }) => /actor\.(\w+)/.exec(event)?.[1])).toEqual([
      'addLock',
      'addLock',
      'sign',
    ]);
  });

  it('has nonces in order over batches', () => {
    const node = withChannels();
    node.turn([lock(1)]);
    node.flush();
    node.turn([lock(2), { to: CHANNEL, event: expireLock(1) }]);
    node.flush();
    expect(node.batches.flatMap(({ proofs }) => proofs.map(({ nonce }) => nonce))).toEqual([
      1n,
      2n,
    ]);
  });
});

it('a state that is not signed is never written', () => {
  const { value, context } = inOneBatch(openChannel()).tell(addLock()).snapshot;
  const rowOf = (id: string) => ({ id, kind: 'channel', version: 1, state: '' });
  const unsigned = { stateOf: () => ({ kind: 'channel', value, context }) as const, rowOf };
  expect(() => signedRow(unsigned, CHANNEL)).toThrow('not signed');
  const signed = { ...context, unsigned: null };
  const fine = { stateOf: () => ({ kind: 'channel', value, context: signed }) as const, rowOf };
  expect(signedRow(fine, CHANNEL)?.id).toBe(CHANNEL);
});
