import { describe, expect, it } from 'vitest';
import { channelActorId } from '../../../machines/base/actor-ids.ts';
import type { ChainLog } from '../../../machines/events/chain.ts';
import type { Address } from '../../../src/basics/hex.ts';
import { createLogRouter } from '../../../src/node/chain/logs.ts';

const OWN = `0x${'01'.repeat(20)}` as const;
const PARTNER = `0x${'02'.repeat(20)}` as const;
const STRANGER = `0x${'03'.repeat(20)}` as const;
const TOKEN = `0x${'04'.repeat(20)}` as const;
const NETWORK = `0x${'05'.repeat(20)}` as const;
const OTHER_NETWORK = `0x${'06'.repeat(20)}` as const;
const at = { block: 7n, logIndex: 0, transactionHash: `0x${'07'.repeat(32)}` } as const;

const opened = (channelId: bigint, participant1: Address): ChainLog => ({
  type: 'chain.channelOpened',
  tokenNetwork: NETWORK,
  channelId,
  participant1,
  participant2: PARTNER,
  settleTimeout: 100n,
  at,
});
const closed = (channelId: bigint, tokenNetwork: Address): ChainLog => ({
  type: 'chain.channelClosed',
  tokenNetwork,
  channelId,
  closer: PARTNER,
  nonce: 1n,
  balanceHash: `0x${'00'.repeat(32)}`,
  at,
});
const router = (channels: string[] = []) =>
  createLogRouter({
    own: OWN,
    networks: new Map([[NETWORK, TOKEN]]),
    channels,
    keepersOf: () => [],
  });

describe('what a node makes of the logs of a token network', () => {
  it('brings what happens in its own channels to them, from their opening on', () => {
    const { deliveriesOf } = router();
    deliveriesOf(opened(4n, OWN));
    const to = channelActorId({ tokenNetwork: NETWORK, channelId: 4n });
    expect(deliveriesOf(closed(4n, NETWORK))).toMatchObject([{ to }]);
  });

  it('knows the channels that it had before it started', () => {
    const to = channelActorId({ tokenNetwork: NETWORK, channelId: 9n });
    expect(router([to]).deliveriesOf(closed(9n, NETWORK))).toMatchObject([{ to }]);
  });

  it('wakes nobody for what happens between others', () => {
    const { deliveriesOf, channelOf } = router();
    deliveriesOf(opened(5n, STRANGER));
    expect(deliveriesOf(closed(5n, NETWORK))).toEqual([]);
    expect(channelOf(closed(5n, NETWORK))).toBeNull();
  });

  it('takes a channel of another network with the number of one of its own for a stranger', () => {
    const { deliveriesOf } = router([channelActorId({ tokenNetwork: NETWORK, channelId: 9n })]);
    expect(deliveriesOf(closed(9n, OTHER_NETWORK))).toEqual([]);
  });
});
