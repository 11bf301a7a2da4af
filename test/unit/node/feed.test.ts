/** What happened, as those who follow a node read it. */
import { describe, expect, it } from 'vitest';
import { createFeed } from '../../../src/node/runtime/commits/feed.ts';
import { feesOf, replacedChain } from '../../../src/node/runtime/parts.ts';
import { FREE } from '../../support/channel-makers.ts';
import { CHANNEL, deposited, hashOf, NETWORK, OWN, PARTNER, TOKEN } from '../../support/makers.ts';
import { batchOf, openedStore } from '../../support/store.ts';

const logOf = ({ nowBlock: _, ...log }: ReturnType<typeof deposited>) => log;
const LOG = logOf(deposited(OWN, 10n));
const NOTE = { id: 'low_rdn', summary: 'Low', body: 'Pay in.', urgency: 'normal' } as const;
const sent = {
  type: 'record.paymentSent',
  token: TOKEN,
  tokenNetwork: NETWORK,
  secrethash: hashOf(1),
  channel: CHANNEL,
  paymentId: 7n,
  amount: 5n,
  target: PARTNER,
  attempts: 1,
} as const;
const channel = { id: CHANNEL, token: TOKEN, partner: PARTNER, openBlock: 5n };

/** The feed of a node, on whose disk a batch is only when the feed has asked for it. */
function feed() {
  const store = openedStore();
  const warned: unknown[] = [];
  const log = { info() {}, error() {}, warn: (...told: unknown[]) => void warned.push(told) };
  let waiting: (() => void)[] = [];
  const settle = () => {
    const all = waiting;
    waiting = [];
    for (const write of all) write();
  };
  const write = (parts: Parameters<typeof batchOf>[0]) =>
    void waiting.push(() => store.commit(batchOf({ time: 4, ...parts })));
  return { ...createFeed(store, settle, log), write, warned };
}

describe('the feed of a node', () => {
  it('tells of payments, of logs with their channel, and of what the operator should know', () => {
    const { write, after: later } = feed();
    const logs = [{ channel: CHANNEL, log: LOG }];
    write({ channels: [channel], logs, payments: [sent], notifications: [NOTE] });
    const record = { event: 'EventPaymentSentSuccess', token: TOKEN, target: PARTNER };
    expect(later(0, 10)).toEqual([
      { seq: 1, time: 4, type: 'channel', token: TOKEN, partner: PARTNER, log: LOG },
      {
        seq: 2,
        time: 4,
        type: 'payment',
        record: { ...record, amount: 5n, paymentId: 7n, time: 4 },
      },
      { seq: 3, time: 4, type: 'notification', notification: NOTE },
    ]);
    expect(later(1, 1).map(({ seq }) => seq)).toEqual([2]);
  });

  it('shows only what no power cut can undo', () => {
    const { write, bounds, after: later } = feed();
    write({ payments: [sent] });
    expect(bounds()).toEqual({ oldest: 1, newest: 1 });
    write({ payments: [{ ...sent, paymentId: 8n }] });
    expect(later(1, 10)).toHaveLength(1);
  });

  it('goes on when somebody who follows it fails, and says so', () => {
    const { write, bounds, onNew, announce, warned } = feed();
    const heard: string[] = [];
    onNew(() => {
      throw new Error('gone');
    });
    onNew(() => void heard.push('new'));
    write({ payments: [sent] });
    bounds();
    announce();
    expect(heard).toEqual(['new']);
    expect(warned).toEqual([[{ error: 'Error: gone' }, 'a listener of the event feed failed']]);
  });
});

describe('the price of mediation', () => {
  it('is that of the token, where one is named, and that of all others elsewhere', () => {
    const named = { ...FREE, flat: 7n };
    const fees = { byToken: new Map([[TOKEN, named]]), others: FREE };
    expect([TOKEN, NETWORK].map((token) => feesOf({ fees }, token))).toEqual([named, FREE]);
  });
});

describe('a node whose chain was replaced', () => {
  it('tells the operator why it waits, with urgency', () => {
    expect(replacedChain({ reason: 'why' })).toMatchObject({
      id: 'chain_replaced',
      body: 'why',
      urgency: 'high',
    });
  });
});
