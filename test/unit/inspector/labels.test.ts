import { beforeEach, describe, expect, it } from 'vitest';
import {
  amountFigure,
  amountText,
  exactText,
  personName,
  setLabels,
  tokenName,
  units,
} from '../../../src/inspector/page/labels.ts';
import { actorName, rowName } from '../../../src/inspector/page/names.ts';
import { rowsWith } from '../../../src/inspector/page/search.ts';
import type { FleetRow } from '../../../src/inspector/wire.ts';
import { CHANNEL, hashOf, NETWORK, OWN, PARTNER, STRANGER, TOKEN } from '../../support/makers.ts';

const TTA = { address: TOKEN, symbol: 'TTA', decimals: 18 };
const BOB = { address: PARTNER, name: 'bob' };
const WHOLE = 10n ** 18n;

function rowOf(actor: string, parts: Partial<FleetRow>): FleetRow {
  return {
    ...{ actor, machine: actorName(actor).kind, state: 'opened', token: TOKEN, partner: PARTNER },
    ...{ target: null, balances: null, paymentId: null, amount: null, deadlineBlock: null },
    ...{ isEnded: false, ...parts },
  };
}

beforeEach(() => {
  setLabels({ tokens: [TTA], names: [BOB] });
  units.value = 'tokens';
});

describe('an amount on the page', () => {
  it.each([
    [92n * WHOLE + WHOLE / 4n, '92.25 TTA'],
    [92_252_399_999_999_999_999n, '92.2523 TTA'],
    [1_234_567n * WHOLE, '1,234,567 TTA'],
    [-WHOLE / 2n, '−0.5 TTA'],
    [0n, '0 TTA'],
    [9n, '9 units'],
    [10n ** 14n, '0.0001 TTA'],
    [10n ** 14n - 1n, '99,999,999,999,999 units'],
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
      ...{ kind: 'Channel', name: '1', detail: 'bob · TTA · 92 / 108' },
    });
  });

  it('of a payment has the identifier, the amount and who is paid', () => {
    const payment = { paymentId: 424_242n, amount: 5n * WHOLE };
    const sent = rowOf(`initiator:${hashOf(1)}`, {
      ...{ ...payment, machine: 'initiator', target: STRANGER },
    });
    expect(rowName(sent)).toEqual({
      ...{ kind: 'Payment sent', name: '424242', detail: '5 TTA to 0x90F7…b906' },
    });
    const received = rowOf(`target:${hashOf(1)}`, { ...payment, machine: 'target' });
    expect(rowName(received).detail).toBe('5 TTA from bob');
  });

  it('of a token network is the symbol', () => {
    const row = rowOf(`tokenNetwork:${NETWORK}`, { machine: 'tokenNetwork', partner: null });
    expect(rowName(row)).toEqual({ kind: 'Token network', name: 'TTA', detail: '' });
  });
});

describe('the search', () => {
  const channel = rowOf(CHANNEL, { machine: 'channel' });
  const payment = rowOf(`initiator:${hashOf(1)}`, {
    ...{ machine: 'initiator', paymentId: 7n, amount: WHOLE / 2n, target: STRANGER },
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
