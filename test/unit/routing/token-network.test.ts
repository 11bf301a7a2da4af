import { describe, expect, it } from 'vitest';
import { imbalancePenalty } from '../../../src/protocol/fees/fee-curve.ts';
import type { FeeSchedule } from '../../../src/protocol/fees/fees.ts';
import { tariffOf, tariffSchedule } from '../../../src/routing/tariff.ts';
import { createRoutedNetwork } from '../../../src/routing/token-network.ts';
import { ask, free, type Line, networkOf, nodeAt } from './network-makers.ts';

const channelId = 1n;
const participants = [nodeAt(0), nodeAt(1)] as const;

/** One open channel in which the first participant has 100, by its own word. */
function halfSaid() {
  const network = createRoutedNetwork();
  network.open({ channelId, participants, settleTimeout: 100n });
  network.setTotal(channelId, nodeAt(0), { deposit: 100n });
  const words = { updatingCapacity: 100n, otherCapacity: 0n, revealTimeout: 50n };
  network.update({ channelId, updatingParticipant: nodeAt(0), ...words });
  return network;
}

describe('a channel', () => {
  it('counts only when both participants have spoken of it', () => {
    const network = halfSaid();
    expect(network.paths(ask())).toEqual([]);
    const words = { updatingCapacity: 0n, otherCapacity: 100n, revealTimeout: 50n };
    expect(network.update({ channelId, updatingParticipant: nodeAt(1), ...words })).toBe(true);
    expect(network.paths(ask())).toHaveLength(1);
  });

  it('is left out when a dispute over it could end before a secret is on chain', () => {
    const network = halfSaid();
    const words = { updatingCapacity: 0n, otherCapacity: 100n, revealTimeout: 51n };
    network.update({ channelId, updatingParticipant: nodeAt(1), ...words });
    expect(network.paths(ask())).toEqual([]);
  });

  it('shrinks with what is withdrawn on chain', () => {
    const network = networkOf([channelOf(0, 1, 100n)]);
    network.setTotal(channelId, nodeAt(0), { withdraw: 150n });
    expect(network.paths(ask({ value: 50n }))).toHaveLength(1);
    expect(network.paths(ask({ value: 51n }))).toEqual([]);
  });

  it('takes no words of others, of amounts that are none, or when it is closed', () => {
    const network = halfSaid();
    const words = { channelId, updatingCapacity: 0n, otherCapacity: 0n, revealTimeout: 1n };
    expect(network.update({ ...words, updatingParticipant: nodeAt(2) })).toBe(false);
    const tooMuch = { ...words, updatingCapacity: 2n ** 256n };
    expect(network.update({ ...tooMuch, updatingParticipant: nodeAt(0) })).toBe(false);
    expect(network.charge(channelId, nodeAt(2), free())).toBe(false);
    expect(network.charge(channelId, nodeAt(0), free({ flat: -1n }))).toBe(false);
    network.close(channelId);
    expect(network.channel(channelId)).toBeNull();
    expect(network.update({ ...words, updatingParticipant: nodeAt(0) })).toBe(false);
  });

  it('leaves nothing behind that a later one in its place would have', () => {
    const network = networkOf([channelOf(0, 1, 100n), channelOf(1, 2, 100n)]);
    network.close(1n);
    network.close(2n);
    expect(network.size()).toEqual({ nodes: 0, channels: 0 });
    network.open({ channelId: 3n, participants, settleTimeout: 100n });
    expect(network.channel(3n)).toEqual({ channelId: 3n, participants, settleTimeout: 100n });
    expect(network.paths(ask({ value: 1n }))).toEqual([]);
  });

  it('is found among thousands that come and go', () => {
    const lines = Array.from({ length: 500 }, (_, at) => channelOf(at, at + 1, 100n));
    const network = networkOf(lines);
    for (let at = 0; at < 500; at += 2) network.close(BigInt(at + 1));
    expect(network.size()).toEqual({ nodes: 500, channels: 250 });
    const found = network.paths(ask({ from: nodeAt(1), to: nodeAt(2) }));
    expect(found).toEqual([{ path: [1, 2].map(nodeAt), estimatedFee: 0n }]);
    expect(network.paths(ask({ from: nodeAt(1), to: nodeAt(3) }))).toEqual([]);
  });
});

describe('a fee schedule', () => {
  const schedules: [string, FeeSchedule][] = [
    ['without a curve', free({ flat: 3n, proportional: 7n, capFees: false })],
    ['of a small channel', free({ imbalancePenalty: imbalancePenalty(7n, 50_000n) })],
    ['of a large channel', free({ imbalancePenalty: imbalancePenalty(10n ** 24n + 1n, 3_000n) })],
    ['of 256 bits', free({ imbalancePenalty: imbalancePenalty(2n ** 256n - 1n, 20_000n) })],
    [
      'that is uneven',
      free({
        imbalancePenalty: [
          [1n, 2n],
          [5n, 3n],
          [6n, 2n ** 60n + 1n],
        ],
      }),
    ],
  ];
  it.each(schedules)('%s is kept to the unit', (_, schedule) => {
    const tariff = tariffOf(schedule);
    expect(tariff === null ? null : tariffSchedule(tariff)).toEqual(schedule);
  });
});

describe('suggested partners', () => {
  /** A star around node 0, and a pair apart with more money. */
  const lines = [1, 2, 3, 4, 5, 6].map((node) => channelOf(0, node, 100n));
  const network = networkOf([...lines, channelOf(7, 8, 150n)]);

  it('are at most five, best first, by centrality, uptime and what they can send', () => {
    const found = network.suggest(() => 1);
    expect(found).toHaveLength(5);
    expect(found[0]).toEqual({
      address: nodeAt(0),
      score: (6 / 8) * 600,
      centrality: 6 / 8,
      uptime: 1,
      capacity: 600n,
    });
    expect(found.slice(1, 3).map(({ address }) => address)).toEqual([7, 8].map(nodeAt));
  });

  it('are there at all', () => {
    const found = network.suggest((address) => (address === nodeAt(0) ? 0 : 0.5));
    expect(found.map(({ address }) => address)).not.toContain(nodeAt(0));
    expect(found[0]).toMatchObject({ uptime: 0.5, score: (1 / 8) * 0.5 * 150 });
  });
});

function channelOf(one: number, two: number, capacity: bigint): Line {
  return {
    ends: [
      { node: one, capacity },
      { node: two, capacity },
    ],
  };
}
