import { describe, expect, it } from 'vitest';
import type { RecordPayment } from '../../../machines/effects.ts';
import type { ChannelLog } from '../../../src/contracts/channel-events.ts';
import { createAudit } from '../../../src/node/runtime/knowledge/audit.ts';
import type { Batch } from '../../../src/store/base/batch.ts';
import {
  CHANNEL,
  closed,
  deposited,
  hashOf,
  NETWORK,
  OWN,
  PARTNER,
  proofUpdated,
  SETTLE_TIMEOUT,
  settled,
  TOKEN,
  unlocked,
  withdrawn,
} from '../../support/makers.ts';
import { channelOpened } from '../../support/payment-makers.ts';

type Noted = Pick<Batch, 'logs' | 'payments' | 'mediations' | 'alerts'>;
type Line = [string, Record<string, unknown>];

function audit() {
  const lines: Line[] = [];
  let time = 5_000;
  const log = {
    info: (fields: Record<string, unknown>, text: string) => void lines.push([text, fields]),
    warn() {},
    error: (fields: Record<string, unknown>, text: string) => void lines.push([text, fields]),
  };
  const made = createAudit({ log, elapsed: () => time });
  return {
    lines,
    end: made.end,
    note: (parts: Partial<Noted>) =>
      made.note({ logs: [], payments: [], mediations: [], alerts: [], ...parts }),
    wait(ms: number) {
      time += ms;
    },
  };
}

const FACTS = {
  token: TOKEN,
  tokenNetwork: NETWORK,
  secrethash: hashOf(1),
  channel: CHANNEL,
  paymentId: 7n,
};
const sent = (amount: bigint): RecordPayment => ({
  type: 'record.paymentSent',
  ...FACTS,
  amount,
  target: PARTNER,
  attempts: 1,
});
const received = (amount: bigint): RecordPayment => ({
  type: 'record.paymentReceived',
  ...FACTS,
  amount,
  initiator: PARTNER,
});
const failed: RecordPayment = {
  type: 'record.paymentFailed',
  ...FACTS,
  amount: 5n,
  target: PARTNER,
  attempts: 2,
  code: 'no_route',
  reason: 'nobody had room',
};

describe('the log of what moved money', () => {
  it('tells of a channel what the chain tells', () => {
    const { note, lines } = audit();
    note({ logs: [{ channel: CHANNEL, log: deposited(OWN, 10n) }] });
    expect(lines).toEqual([
      ['deposit', { channel: CHANNEL, block: '100', participant: OWN, totalDeposit: '10' }],
    ]);
  });

  it('tells of the close who closed, and with which nonce', () => {
    const { note, lines } = audit();
    note({ logs: [{ channel: CHANNEL, log: closed(PARTNER, { nonce: 4n }) }] });
    expect(lines).toEqual([
      ['channel closed', { channel: CHANNEL, block: '100', closer: PARTNER, nonce: '4' }],
    ]);
  });

  it.each<[string, ChannelLog, Record<string, string>]>([
    [
      'channel opened',
      channelOpened(),
      { participant1: OWN, participant2: PARTNER, settleTimeout: `${SETTLE_TIMEOUT}` },
    ],
    ['withdrawal', withdrawn(PARTNER, 4n), { participant: PARTNER, totalWithdraw: '4' }],
    [
      'balance proof brought',
      proofUpdated(PARTNER, 6n, hashOf(1)),
      { closer: PARTNER, nonce: '6' },
    ],
    [
      'channel settled',
      settled({ ownAmount: 70n, partnerAmount: 20n }),
      { participant1: OWN, amount1: '70', participant2: PARTNER, amount2: '20' },
    ],
    ['locks unlocked', unlocked(OWN), { receiver: PARTNER, unlocked: '0', returned: '10' }],
  ])('tells of "%s" who and how much', (text, log, facts) => {
    const { note, lines } = audit();
    note({ logs: [{ channel: CHANNEL, log }] });
    expect(lines).toEqual([[text, { channel: CHANNEL, block: '100', ...facts }]]);
  });

  it('tells of each failed payment, and why', () => {
    const { note, lines } = audit();
    note({ payments: [failed] });
    const facts = { token: TOKEN, target: PARTNER, paymentId: '7', amount: '5', attempts: 2 };
    expect(lines).toEqual([
      ['payment failed', { ...facts, code: 'no_route', reason: 'nobody had room' }],
    ]);
  });

  it('sums up what was paid, once a second at most, and the rest at the end', () => {
    const { note, lines, wait, end } = audit();
    note({ payments: [sent(5n)] });
    expect(lines).toEqual([['payments', { token: TOKEN, sent: 1, sentSum: '5' }]]);
    for (let n = 0; n < 100; n++) note({ payments: [sent(1n), received(2n)] });
    expect(lines).toHaveLength(1);
    wait(1_000);
    note({});
    expect(lines.at(-1)).toEqual([
      'payments',
      { token: TOKEN, sent: 100, sentSum: '100', received: 100, receivedSum: '200' },
    ]);
    const mediation = { token: TOKEN, tokenNetwork: NETWORK, secrethash: hashOf(1), fee: 3n };
    note({
      mediations: [{ type: 'record.mediated', payer: PARTNER, ...mediation }],
    });
    expect(lines).toHaveLength(2);
    end();
    expect(lines.at(-1)).toEqual(['payments', { token: TOKEN, mediated: 1, fees: '3' }]);
    end();
    expect(lines).toHaveLength(3);
  });

  it('tells of the first payment after a pause at once', () => {
    const { note, lines, wait } = audit();
    note({});
    wait(500);
    note({ payments: [sent(5n)] });
    expect(lines).toHaveLength(1);
  });

  it('says nothing of more failures when each had its line', () => {
    const { note, lines, end } = audit();
    note({ payments: Array.from({ length: 20 }, () => failed) });
    end();
    expect(lines.map(([text]) => text)).toEqual(Array(20).fill('payment failed'));
  });

  it('counts failures that are too many for a line each', () => {
    const { note, lines, end } = audit();
    note({ payments: [sent(1n)] });
    note({ payments: Array.from({ length: 50 }, () => failed) });
    end();
    expect(lines.filter(([text]) => text === 'payment failed')).toHaveLength(20);
    expect(lines.at(-1)).toEqual(['more payments failed', { count: 30 }]);
  });

  it('say which channel is frozen, and why', () => {
    const { lines, note } = audit();
    const facts = { alert: 'stale_database', channel: CHANNEL, detail: 'nonce 3' } as const;
    note({ alerts: [{ type: 'record.alert', ...facts }] });
    expect(lines).toEqual([[expect.stringContaining('can only be closed'), facts]]);
  });
});
