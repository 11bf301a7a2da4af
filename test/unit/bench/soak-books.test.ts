/** The books of a soak see what does not fit together, and nothing else. */
import { describe, expect, it } from 'vitest';
import {
  type Deed,
  deedsThatDiffer,
  type Entry,
  figuresIn,
  figuresThatDiffer,
  holdingsThatDiffer,
  type PaymentCall,
  paymentsThatDiffer,
  readinessThatDiffers,
  salesThatDiffer,
  sumOf,
} from '../../bench/soak/books.ts';
import { sameAnswers } from '../../bench/soak/recorder.ts';

const call = (changes: Partial<PaymentCall> = {}): PaymentCall => ({
  payer: 'alice',
  payee: 'hub',
  identifier: '1',
  amount: 5n,
  told: 'paid',
  item: null,
  ...changes,
});
const sent = (changes: Partial<Entry> = {}): Entry => ({
  owner: 'alice',
  other: 'hub',
  event: 'sent',
  identifier: '1',
  amount: 5n,
  ...changes,
});
const received = (changes: Partial<Entry> = {}): Entry =>
  sent({ owner: 'hub', other: 'alice', event: 'received', ...changes });

describe('the books of a soak', () => {
  it.each<[string, PaymentCall[], Entry[]]>([
    ['a payment that both have', [call()], [sent(), received()]],
    ['one that was refused', [call({ told: 'not paid' })], []],
    ['one without an answer that was made', [call({ told: 'unknown' })], [sent(), received()]],
    ['one without an answer that was not', [call({ told: 'unknown' })], []],
  ])('take %s as it is', (_, calls, entries) => {
    expect(paymentsThatDiffer(calls, entries)).toEqual([]);
  });

  it.each<[string, PaymentCall[], Entry[]]>([
    ['a payment that the payee does not have', [call()], [sent()]],
    ['a payment that the payer does not have', [call()], [received()]],
    ['a payment that came twice', [call()], [sent(), received(), received()]],
    ['a payment that was sent twice', [call()], [sent(), sent(), received(), received()]],
    ['another amount', [call()], [sent(), received({ amount: 4n })]],
    ['a refused payment that came', [call({ told: 'not paid' })], [sent(), received()]],
    ['half of a payment without an answer', [call({ told: 'unknown' })], [sent()]],
    ['a payment that nobody has ordered', [], [received()]],
    ['an order for somebody else', [call({ payee: 'carol' })], [sent(), received()]],
  ])('see %s', (_, calls, entries) => {
    const found = paymentsThatDiffer(calls, entries);
    expect(found).not.toEqual([]);
    expect(found[0]?.parties).toContain('alice');
  });

  it('see what was served unpaid, not served, served twice and paid twice', () => {
    const calls = ['a', 'b', 'c', 'd'].map((item, at) => call({ item, identifier: `${at}` }));
    const again = call({ item: 'd', identifier: '9' });
    const entries = [...calls, again].map(({ identifier }) => received({ identifier }));
    const served = new Map(Object.entries({ a: 1, c: 2, d: 1, e: 1 }));
    const found = salesThatDiffer([...calls, again], entries, served).map(({ what }) => what);
    expect(found).toHaveLength(4);
    for (const [at, item] of ['b', 'c', 'd', 'e'].entries())
      expect(found[at]).toContain(`sale of ${item}:`);
  });

  it('see a deposit that the chain does not have, or has twice', () => {
    const deed: Deed = { event: 'ChannelNewDeposit', channel: '1', party: 'alice', total: 7n };
    expect(deedsThatDiffer([deed], [deed])).toEqual([]);
    expect(deedsThatDiffer([deed], [{ ...deed, total: 8n }])).toHaveLength(1);
    expect(deedsThatDiffer([deed], [deed, deed])).toHaveLength(1);
  });

  it('see a single unit too many or too few', () => {
    const given = new Map(Object.entries({ alice: 10n, hub: 10n }));
    const entries = [sent(), received()];
    const left = (alice: bigint, hub: bigint) => new Map(Object.entries({ alice, hub }));
    const differ = (alice: bigint, hub: bigint, inChannels = 0n) =>
      holdingsThatDiffer({ given, left: left(alice, hub), inChannels }, entries).length;
    expect(differ(5n, 15n)).toBe(0);
    expect(differ(5n, 14n)).toBe(1);
    expect(differ(6n, 15n)).toBe(1);
    expect(differ(5n, 15n, 1n)).toBe(1);
  });

  it('read a page of figures, and see what is not so', () => {
    const figures = figuresIn(
      [
        '# HELP pcn_payments_total Payments that ended',
        'pcn_payments_total{role="initiator",result="paid"} 3',
        'pcn_payments_total{role="initiator",result="failed",reason="no_route"} 1',
        'pcn_channels{state="opened",token="0x1"} 2',
        'pcn_channel_capacity{token="0x1",side="own"} 9e+21',
        'pcn_broker_connected 1',
      ].join('\n'),
    );
    expect(sumOf(figures, 'pcn_payments_total')).toBe(4);
    const known = { name: 'alice', figures, sent: 3, received: 0, opened: 2, capacity: 9e21 };
    expect(figuresThatDiffer(known)).toEqual([]);
    expect(figuresThatDiffer({ ...known, sent: 4, opened: 1 })).toHaveLength(2);
  });

  it('see a killed node that is ready, and two that are it', () => {
    const look = { node: 'hub', ready: ['hub'], running: ['hub', 'hub-2'] };
    const both = { ...look, ready: ['hub', 'hub-2'] };
    expect(readinessThatDiffers([look, both, look, both])).toEqual([]);
    expect(readinessThatDiffers([both, both, both])).toHaveLength(1);
    expect(readinessThatDiffers([{ ...look, running: ['hub-2'] }])).toHaveLength(1);
  });

  it('know two answers with the same content', () => {
    const answer = { status: 200, text: '{"amount": "5", "identifier": "1"}' };
    const same = { status: 200, text: '{"identifier":"1","amount":"5"}' };
    expect(sameAnswers(answer, same)).toBe(true);
    expect(sameAnswers(answer, { ...same, status: 409 })).toBe(false);
    expect(sameAnswers(answer, { ...same, text: '{"identifier":"1"}' })).toBe(false);
  });
});
