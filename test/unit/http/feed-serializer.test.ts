import { describe, expect, it } from 'vitest';
import { feedText, gapText } from '../../../src/http/shapes/feed-serializer.ts';
import { recordObject } from '../../../src/http/shapes/serializers.ts';
import type { FeedEvent } from '../../../src/node/runtime/commits/feed.ts';
import { HASH, NETWORK, PARTNER, TOKEN } from './fake-node.ts';

const at = { seq: 9, time: Date.UTC(2026, 1, 3, 4, 5, 6, 7) };
const log_time = '2026-02-03T04:05:06.007';
const dataOf = (event: FeedEvent): unknown => JSON.parse(feedText(event));

describe('an event of the feed', () => {
  it('shows a payment as the history does', () => {
    const payment = { token: TOKEN, amount: 2n ** 200n, target: PARTNER, paymentId: 1n };
    const record = { event: 'EventPaymentSentSuccess', time: at.time, ...payment } as const;
    expect(dataOf({ ...at, type: 'payment', record })).toEqual({
      type: 'payment',
      seq: '9',
      log_time,
      payment: {
        event: 'EventPaymentSentSuccess',
        log_time,
        token_address: TOKEN,
        amount: `${2n ** 200n}`,
        target: PARTNER,
        identifier: '1',
      },
    });
  });

  it('names the identifier of a failed payment, which the history does not show', () => {
    const payment = { token: TOKEN, target: PARTNER, reason: 'no route', paymentId: 2n ** 63n };
    const record = { event: 'EventPaymentSentFailed', time: at.time, ...payment } as const;
    expect(dataOf({ ...at, type: 'payment', record })).toMatchObject({
      payment: { event: 'EventPaymentSentFailed', identifier: `${2n ** 63n}` },
    });
    expect(recordObject(record)).not.toHaveProperty('identifier');
  });

  it('shows a log as the events of the channel do', () => {
    const log = {
      ...({ type: 'chain.channelDeposit', tokenNetwork: NETWORK, channelId: 7n } as const),
      participant: PARTNER,
      totalDeposit: 5n,
      at: { block: 8n, logIndex: 0, transactionHash: HASH },
    };
    expect(dataOf({ ...at, type: 'channel', token: TOKEN, partner: PARTNER, log })).toEqual({
      type: 'channel',
      seq: '9',
      log_time,
      token_address: TOKEN,
      partner_address: PARTNER,
      channel_event: {
        event: 'ChannelNewDeposit',
        participant: PARTNER,
        total_deposit: '5',
        channel_identifier: '7',
        block_number: '8',
        log_index: '0',
        transaction_hash: HASH,
      },
    });
  });

  it('shows a notification as the list of them does', () => {
    const text = { summary: 'Low', body: 'Pay in.', urgency: 'normal' } as const;
    const notification = { id: 'low_rdn', ...text } as const;
    expect(dataOf({ ...at, type: 'notification', notification })).toEqual({
      type: 'notification',
      seq: '9',
      log_time,
      notification: { id: 'low_rdn', ...text },
    });
  });

  it('that is missing is told with its place', () => {
    expect(JSON.parse(gapText(3, 8))).toEqual({ type: 'gap', from: '3', to: '8' });
  });
});
