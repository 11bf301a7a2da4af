import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { shortId } from '../../../src/inspector/texts/short-id.ts';
import type { ListedActor } from '../../../src/inspector/wire.ts';
import { endingOf, endingText } from '../../../src/inspector-page/base/ending.ts';
import { actorName, rowName } from '../../../src/inspector-page/base/names.ts';
import { rowsWith } from '../../../src/inspector-page/base/search.ts';
import {
  amountFigure,
  amountText,
  exactText,
  personName,
  setLabels,
  tokenName,
  units,
} from '../../../src/page-parts/labels.ts';
import { CHANNEL, hashOf, NETWORK, OWN, PARTNER, STRANGER, TOKEN } from '../../support/makers.ts';
import { did, took } from '../../support/step-makers.ts';

const TTA = { address: TOKEN, symbol: 'TTA', decimals: 18 };
const BOB = { address: PARTNER, name: 'bob' };
const WHOLE = 10n ** 18n;

function rowOf(actor: string, parts: Partial<ListedActor>): ListedActor {
  return {
    actor,
    machine: actorName(actor).kind,
    state: 'opened',
    token: TOKEN,
    partner: PARTNER,
    initiator: null,
    target: null,
    balances: null,
    paymentId: null,
    amount: null,
    deadlineBlock: null,
    isEnded: false,
    endTime: null,
    ...parts,
  };
}

beforeEach(() => {
  setLabels({ tokens: [TTA], names: [BOB] });
  units.value = 'tokens';
});
// The book is the page's: another file must not find what this one wrote into it.
afterAll(() => setLabels({ tokens: [], names: [] }));

describe('an amount on the page', () => {
  it.each([
    [92n * WHOLE + WHOLE / 4n, '92.25 TTA'],
    [92_252_399_999_999_999_999n, '92.2523… TTA'],
    [1_234_567n * WHOLE, '1,234,567 TTA'],
    [-WHOLE / 2n, '−0.5 TTA'],
    [0n, '0 TTA'],
    [9n, '9e-18 TTA'],
    [10n ** 14n, '0.0001 TTA'],
    [10n ** 14n - 1n, '0.00009999… TTA'],
  ])('of %s units is %s', (value, text) => {
    expect(amountText(value, TOKEN)).toBe(text);
  });

  it('is in the smallest unit where the reader wants that, or the token has no label', () => {
    expect(amountText(WHOLE, STRANGER)).toBe('1,000,000,000,000,000,000');
    expect(amountText(WHOLE, null)).toBe('1,000,000,000,000,000,000');
    units.value = 'units';
    expect(amountText(WHOLE, TOKEN)).toBe('1,000,000,000,000,000,000');
    expect(amountFigure(WHOLE, TOKEN)).toBe('1,000,000,000,000,000,000');
  });

  it('is told to the unit beside it', () => {
    expect(exactText(92_252_399_999_999_999_999n, TOKEN)).toBe(
      '92,252,399,999,999,999,999 units of TTA',
    );
    expect(exactText(1n, null)).toBe('1 unit');
  });

  it('of a token without decimals is a whole number', () => {
    setLabels({ tokens: [{ ...TTA, decimals: 0 }], names: [] });
    expect(amountText(12n, TOKEN)).toBe('12 TTA');
  });
});

describe('a name on the page', () => {
  it('is the address, shortened, where nobody gave one', () => {
    expect(personName(PARTNER)).toBe('bob');
    expect(personName(PARTNER.toLowerCase())).toBe('bob');
    expect(personName(OWN)).toBe('0x7099…79C8');
    expect(tokenName(TOKEN)).toBe('TTA');
    expect(tokenName(STRANGER)).toBe('0x90F7…b906');
  });

  it('of a token that calls itself like another has the address', () => {
    setLabels({ tokens: [TTA, { ...TTA, address: STRANGER }], names: [] });
    expect(tokenName(TOKEN)).toBe('TTA (0x9fE4…a6e0)');
  });

  it('of a channel has the partner, the token and both balances', () => {
    const balances = { own: 92n * WHOLE, partner: 108n * WHOLE };
    expect(rowName(rowOf(CHANNEL, { machine: 'channel', balances }))).toEqual({
      kind: 'Channel',
      name: '1',
      detail: 'bob · TTA · 92 / 108',
    });
  });

  it('of a payment has the identifier, the amount and who is paid', () => {
    const payment = { paymentId: 424_242n, amount: 5n * WHOLE };
    const sent = rowOf(`initiator:${hashOf(1)}`, {
      ...payment,
      machine: 'initiator',
      target: STRANGER,
    });
    expect(rowName(sent)).toEqual({
      kind: 'Payment sent',
      name: '424242',
      detail: '5 TTA to 0x90F7…b906',
    });
    const received = { ...payment, machine: 'target', initiator: STRANGER };
    expect(rowName(rowOf(`target:${hashOf(1)}`, received)).detail).toBe('5 TTA from 0x90F7…b906');
  });

  it('of a token network is the symbol', () => {
    const row = rowOf(`tokenNetwork:${NETWORK}`, { machine: 'tokenNetwork', partner: null });
    expect(rowName(row)).toEqual({ kind: 'Token network', name: 'TTA', detail: '' });
  });
});

describe('the end of', () => {
  const ended = (actor: string, machine: string, parts: Partial<ListedActor>) =>
    rowOf(actor, { machine, isEnded: true, paymentId: 7n, amount: 5n * WHOLE, ...parts });
  const initiator = (state: string) =>
    ended(`initiator:${hashOf(1)}`, 'initiator', { state, target: STRANGER });
  function told(row: ListedActor, ...steps: Parameters<typeof endingOf>[1]) {
    const ending = endingOf(row, steps, OWN);
    return ending && { verdict: ending.verdict, text: endingText(ending, row.token) };
  }

  it('a channel says what each side got', () => {
    const sides = { participant1: PARTNER, amount1: 3n * WHOLE, participant2: OWN, amount2: WHOLE };
    const at = { transactionHash: hashOf(9) };
    const settled = took(1, { type: 'chain.channelSettled', ...sides, at });
    const unlocked = { unlockedAmount: WHOLE / 2n, returnedTokens: WHOLE, receiver: OWN };
    const row = ended(CHANNEL, 'channel', { state: 'gone' });
    expect(told(row, settled, took(2, { type: 'chain.channelUnlocked', ...unlocked }))?.text).toBe(
      'Settled: this node got 1 TTA, bob 3 TTA, locks brought 0.5 TTA more, transaction ' +
        `${shortId(hashOf(9))}.`,
    );
    expect(told(row)?.text).toBe('Settled: nothing of this node is left in the contract.');
    expect(told(rowOf(CHANNEL, { machine: 'channel' }))).toBeNull();
  });

  it('a payment says who was paid, or why nobody was', () => {
    expect(told(initiator('paid'))).toEqual({
      verdict: 'good',
      text: 'Paid: 0x90F7…b906 got 5 TTA.',
    });
    const failed = { type: 'record.paymentFailed', reason: 'The lock ran out.' };
    expect(told(initiator('failed'), did(1, failed))).toEqual({
      verdict: 'bad',
      text: 'Failed: The lock ran out. This node did not pay 0x90F7…b906 5 TTA.',
    });
    expect(told(initiator('replaced'))?.verdict).toBe('over');
  });

  it.each([
    ['payer.paid+payee.unlocked', 'good'],
    ['payer.lost+payee.unlocked', 'bad'],
    ['payer.lost+payee.unforwarded', 'bad'],
  ])('a transfer that was passed on is judged by both sides: %s', (state, verdict) => {
    const row = ended(`mediator:${hashOf(1)}`, 'mediator', { state });
    const kept = did(1, { type: 'record.mediated', fee: WHOLE / 10n });
    const ending = told(row, kept);
    expect(ending?.verdict).toBe(verdict);
    if (verdict === 'good') expect(ending?.text).toContain('This node kept 0.1 TTA.');
  });

  it('a payment received says from whom it came', () => {
    const row = (state: string) => ended(`target:${hashOf(1)}`, 'target', { state });
    expect(told(row('paid'))?.text).toBe('Received: 5 TTA through bob.');
    expect(told(row('lost'))?.verdict).toBe('bad');
  });
});

describe('the search', () => {
  const channel = rowOf(CHANNEL, { machine: 'channel' });
  const payment = rowOf(`initiator:${hashOf(1)}`, {
    machine: 'initiator',
    paymentId: 7n,
    amount: WHOLE / 2n,
    target: STRANGER,
  });

  it.each([
    ['bob', [channel]],
    ['tta', [channel, payment]],
    ['0.5 tta', [payment]],
    ['500000000000000000', [payment]],
    [STRANGER.toLowerCase(), [payment]],
    ['zoe', []],
  ])('finds %s', (text, found) => {
    expect(rowsWith([channel, payment], text)).toEqual(found);
  });
});
