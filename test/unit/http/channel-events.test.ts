import { describe, expect, it } from 'vitest';
import type { ChannelLog } from '../../../src/contracts/channel-events.ts';
import type { ChannelEvent, NodeApi } from '../../../src/node/api/api.ts';
import { appWith, call } from './client.ts';
import { HASH, HISTORY, NETWORK, OWN, PARTNER, STRANGER, TOKEN } from './fake-node.ts';

const EVENTS = `/events/channels/${TOKEN}/${PARTNER}`;
const ROOT = `0x${'4f'.repeat(32)}` as const;
const of = {
  tokenNetwork: NETWORK,
  channelId: 7n,
  at: { block: 120n, logIndex: 3, transactionHash: HASH },
};
const common = {
  channel_identifier: '7',
  block_number: '120',
  log_index: '3',
  transaction_hash: HASH,
};

function answering(...events: ChannelEvent[]): Partial<NodeApi> {
  return { channelEvents: () => ({ ok: true, value: [events] }) };
}

describe('the events of a channel', () => {
  it.each<[string, ChannelLog, object]>([
    [
      'ChannelOpened',
      {
        ...of,
        type: 'chain.channelOpened',
        participant1: OWN,
        participant2: PARTNER,
        settleTimeout: 500n,
      },
      { participant1: OWN, participant2: PARTNER, settle_timeout: '500' },
    ],
    [
      'ChannelNewDeposit',
      { ...of, type: 'chain.channelDeposit', participant: OWN, totalDeposit: 10n ** 30n },
      { participant: OWN, total_deposit: `1${'0'.repeat(30)}` },
    ],
    [
      'ChannelWithdraw',
      { ...of, type: 'chain.channelWithdraw', participant: OWN, totalWithdraw: 4n },
      { participant: OWN, total_withdraw: '4' },
    ],
    [
      'ChannelClosed',
      { ...of, type: 'chain.channelClosed', closer: OWN, nonce: 9n, balanceHash: ROOT },
      { closing_participant: OWN, nonce: '9', balance_hash: ROOT },
    ],
    [
      'NonClosingBalanceProofUpdated',
      { ...of, type: 'chain.proofUpdated', closer: OWN, nonce: 9n, balanceHash: ROOT },
      { closing_participant: OWN, nonce: '9', balance_hash: ROOT },
    ],
    [
      'ChannelSettled',
      {
        ...of,
        type: 'chain.channelSettled',
        participant1: OWN,
        amount1: 1n,
        locksroot1: ROOT,
        participant2: PARTNER,
        amount2: 2n,
        locksroot2: HASH,
      },
      {
        participant1: OWN,
        participant1_amount: '1',
        participant1_locksroot: ROOT,
        participant2: PARTNER,
        participant2_amount: '2',
        participant2_locksroot: HASH,
      },
    ],
    [
      'ChannelUnlocked',
      {
        ...of,
        type: 'chain.channelUnlocked',
        receiver: OWN,
        sender: PARTNER,
        locksroot: ROOT,
        unlockedAmount: 6n,
        returnedTokens: 7n,
      },
      {
        receiver: OWN,
        sender: PARTNER,
        locksroot: ROOT,
        unlocked_amount: '6',
        returned_tokens: '7',
      },
    ],
  ])('show %s with its fields as strings', async (event, log, fields) => {
    const { status, body } = await call(appWith(answering({ type: 'chain', log })), {
      path: EVENTS,
    });
    expect(status).toBe(200);
    expect(body).toEqual([{ event, ...fields, ...common }]);
  });

  it('show payments as the history does, with the block', async () => {
    const events = HISTORY.map((record) => ({ type: 'payment' as const, block: 121n, record }));
    const { body } = await call(appWith(answering(...events)), { path: EVENTS });
    const time = { block_number: '121', token_address: TOKEN, log_time: expect.any(String) };
    expect(body).toEqual([
      {
        event: 'EventPaymentSentSuccess',
        amount: '25',
        target: PARTNER,
        identifier: '9007199254740993',
        ...time,
      },
      { event: 'EventPaymentSentFailed', target: STRANGER, reason: 'lock expired', ...time },
      {
        event: 'EventPaymentReceivedSuccess',
        amount: '3',
        initiator: PARTNER,
        identifier: '8',
        ...time,
      },
    ]);
  });

  it.each([
    ['', null],
    ['?from_block=0', 0n],
    ['?from_block=18446744073709551615', 2n ** 64n - 1n],
    ['?from_block=1&from_block=2', 2n],
  ])('are asked for with "%s"', async (query, fromBlock) => {
    const asked: unknown[] = [];
    const app = appWith({
      channelEvents(...args) {
        asked.push(args);
        return { ok: true, value: [] };
      },
    });
    expect((await call(app, { path: `${EVENTS}${query}` })).body).toEqual([]);
    expect(asked).toEqual([[TOKEN, PARTNER, fromBlock]]);
  });

  it.each([
    ['no integer', 'from_block=1.5', 400],
    ['an empty text', 'from_block=', 400],
    ['hex', 'from_block=0x10', 400],
    ['an unknown parameter', 'to_block=5', 400],
    ['a negative block', 'from_block=-1', 409],
    ['a block above 2^64 - 1', 'from_block=18446744073709551616', 409],
  ])('answer for %s (%s) with %i', async (_, query, status) => {
    const answer = await call(appWith(), { path: `${EVENTS}?${query}` });
    expect(answer).toMatchObject({ status, body: { errors: expect.anything() } });
  });

  it('are refused for an unknown channel before they are refused for an invalid block', async () => {
    const app = appWith({ channelEvents: () => ({ ok: false, code: 'unknown_channel' }) });
    for (const query of ['', '?from_block=-1']) {
      expect((await call(app, { path: `${EVENTS}${query}` })).status).toBe(404);
    }
  });
});
