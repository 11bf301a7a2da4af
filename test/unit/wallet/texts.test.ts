import { describe, expect, it } from 'vitest';
import type { HistoryRecord } from '../../../src/client/history.ts';
import { durationText } from '../../../src/page-parts/time-left.ts';
import { viewHash, walletPlaceOf } from '../../../src/wallet-page/state/router.ts';
import { typedAmount, typedIdentifier } from '../../../src/wallet-page/texts/amounts.ts';
import {
  blocksText,
  etherText,
  gasText,
  untilSettled,
} from '../../../src/wallet-page/texts/costs.ts';
import { csvLine, csvRow } from '../../../src/wallet-page/texts/csv.ts';
import { earlierText, keyOf } from '../../../src/wallet-page/texts/earlier.ts';
import { matches, NO_FILTER } from '../../../src/wallet-page/texts/filter.ts';
import { addressMeant } from '../../../src/wallet-page/texts/names.ts';
import { may } from '../../../src/wallet-page/texts/scopes.ts';
import { sumsOf } from '../../../src/wallet-page/texts/sums.ts';

const BOB = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const EVE = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';

const common = { log_time: '2026-01-31T09:08:07.120', token_address: TOKEN } as const;
const SENT: HistoryRecord = {
  ...{ event: 'EventPaymentSentSuccess', target: BOB, ...common },
  ...{ amount: '1500000000000000000', identifier: '42' },
};
const FAILED: HistoryRecord = {
  ...{ event: 'EventPaymentSentFailed', target: EVE, ...common },
  reason: 'there is no route, "sorry"',
};

describe('amounts that a person types', () => {
  it.each([
    ['1.5', 18, 1_500_000_000_000_000_000n],
    ['0.000000000000000001', 18, 1n],
    ['90071992.54740993', 8, 9_007_199_254_740_993n],
    [' 7 ', 0, 7n],
    ['1.50', 1, 15n],
  ])('%j with %d decimals is exact', (text, decimals, units) => {
    expect(typedAmount(text, decimals, 'TTA')).toEqual({ ok: true, units });
  });

  it.each(['', '0', '0.0', '1,5', '1,000', '-1', '1e3', '.5', '1.', 'five', '0x5', '1.55', '١'])(
    '%j is none',
    (text) => {
      expect(typedAmount(text, 1, 'TTA')).toMatchObject({ ok: false, message: /\w/ });
    },
  );

  it('has identifiers up to 2^64 - 1, or none', () => {
    expect(typedIdentifier(' ')).toEqual({ ok: true, value: null });
    expect(typedIdentifier('18446744073709551615')).toEqual({ ok: true, value: 2n ** 64n - 1n });
    for (const text of ['0', '18446744073709551616', '-1', '1.5', 'x'])
      expect(typedIdentifier(text)).toEqual({ ok: false });
  });
});

describe('whom a person means', () => {
  const names = [
    { name: 'bob', address: BOB },
    { name: 'eve', address: EVE },
    { name: 'Eve', address: BOB },
  ] as const;

  it('is an address, or a name in any case', () => {
    expect(addressMeant(` ${EVE} `, names)).toEqual({ ok: true, address: EVE });
    expect(addressMeant('Bob', names)).toEqual({ ok: true, address: BOB });
  });

  it('is nobody when the checksum is wrong, or several have the name', () => {
    for (const text of ['', 'mallory', 'eve', EVE.toLowerCase(), EVE.slice(0, -1), `${EVE}0`])
      expect(addressMeant(text, names)).toMatchObject({ ok: false, message: /\w/ });
  });
});

describe('what an order costs', () => {
  const gas = {
    ...{ approve: '60000', openChannel: '200000', deposit: '130000', withdraw: '150000' },
    ...{ close: '130000', settle: '180000', userDeposit: '150000', userDepositPlan: '80000' },
    userDepositWithdraw: '80000',
  };
  const facts = {
    ...{ gas, gasPrice: '2000000000', blockSeconds: 12 },
    ...{ confirmations: '5', settleTimeout: '500' },
  };

  it('is said in gas, and in ether when the price is known', () => {
    expect(gasText(['approve', 'deposit'], facts)).toBe(
      'at most about 190,000 gas, 2 transactions: 0.00038 ETH at the price of now',
    );
    expect(gasText(['close'], { ...facts, gasPrice: null })).toBe(
      'at most about 130,000 gas, one transaction; the price of gas is not known',
    );
  });

  it.each([
    [0n, '0 ETH'],
    [1n, '0.000000000000000001 ETH'],
    [123_456_789n, '0.000000000123 ETH'],
    [10n ** 18n, '1 ETH'],
    [1_234_567n * 10n ** 15n, '1,234.567 ETH'],
  ])('writes %d wei as %s', (wei, text) => expect(etherText(wei)).toBe(text));

  it('takes blocks, and the time of blocks when it is known', () => {
    expect(untilSettled(500n, facts)).toBe('about 2 hours (512 blocks)');
    expect(blocksText(1n, null)).toBe('1 block');
    expect([0.2, 60, 600, 7_200, 864_000].map(durationText)).toEqual([
      ...['1 s', '60 s', '10 minutes', '2 hours', '10 days'],
    ]);
  });
});

describe('the history', () => {
  const nameOf = (address: string) => (address === BOB ? 'bob' : '');
  const names = { nameOf, symbolOf: () => '=SUM(A1)', decimalsOf: () => 18 };

  it('becomes lines that a spreadsheet reads and does not run', () => {
    expect(csvLine(SENT, names)).toBe(
      `2026-01-31T09:08:07.120Z,sent,${TOKEN},'=SUM(A1),${BOB},bob,1.5,1500000000000000000,42,\r\n`,
    );
    expect(csvLine(FAILED, names)).toContain(',"there is no route, ""sorry"""\r\n');
    expect(csvLine(SENT, { ...names, decimalsOf: () => null })).toContain(
      ',bob,,1500000000000000000,42,',
    );
    expect(csvRow(['-1', '+1', '@a', 'a\nb'])).toBe(`'-1,'+1,'@a,"a\nb"\r\n`);
  });

  it.each([
    [{}, [SENT, FAILED]],
    [{ kind: 'failed' }, [FAILED]],
    [{ token: EVE }, []],
    [{ text: 'BO' }, [SENT]],
    [{ text: EVE.slice(0, 12) }, [FAILED]],
    [{ text: '42' }, [SENT]],
    [{ from: '2026-01-31', to: '2026-01-31' }, [SENT, FAILED]],
    [{ from: '2026-02-01' }, []],
    [{ to: '2026-01-30' }, []],
  ] as const)('is filtered by %j', (filter, found) => {
    const shown = [SENT, FAILED].filter((record) =>
      matches(record, { ...NO_FILTER, ...filter }, nameOf),
    );
    expect(shown).toEqual(found);
  });
});

describe('a payment with an identifier', () => {
  const asked = { token: TOKEN, target: BOB, amount: '5', identifier: '42' };

  it('has one key until it was paid or has failed, and says when it was paid before', () => {
    const received: HistoryRecord = {
      ...{ event: 'EventPaymentReceivedSuccess', initiator: BOB, amount: '5' },
      ...{ identifier: '42', ...common },
    };
    expect(keyOf(asked, [])).toBe(keyOf({ ...asked }, [received]));
    const keys = [keyOf(asked, []), keyOf(asked, [FAILED]), keyOf(asked, [FAILED, SENT])];
    expect(new Set(keys).size).toBe(3);
    expect(keyOf({ ...asked, amount: '6' }, [])).not.toBe(keyOf(asked, []));
    expect(Math.max(...keys.map((key) => key.length))).toBeLessThan(255);
    expect([earlierText([], TOKEN), earlierText([FAILED, received], TOKEN)]).toEqual([null, null]);
    expect(earlierText([SENT], TOKEN)).toContain('already, on 2026-01-31 09:08 UTC');
  });
});

it('sums what is in open channels, and leaves out tokens of which there is nothing', () => {
  const channel = (balance: string, state: string) => ({ token_address: TOKEN, balance, state });
  const token = (address: typeof BOB | typeof EVE | typeof TOKEN, onChain: string | null) => ({
    ...{ address, symbol: 'T', decimals: 0, isRegistered: true },
    onChain,
  });
  const tokens = [token(BOB, '0'), token(EVE, '7'), token(TOKEN, null)];
  const channels = [channel('2', 'opened'), channel('3', 'opened'), channel('9', 'closed')];
  expect(sumsOf(tokens, channels)).toEqual([
    { token: TOKEN, inChannels: 5n, onChain: null },
    { token: EVE, inChannels: 0n, onChain: 7n },
  ]);
});

it('lets a scope do what those before it may', () => {
  expect([may('read', 'pay'), may('pay', 'pay'), may('pay', 'admin'), may('admin', 'pay')]).toEqual(
    [...[false, true, false, true]],
  );
});

it('keeps the view and a payment link in the address', () => {
  const link = `sluice:${BOB}?token=${TOKEN}&amount=5`;
  expect(walletPlaceOf(viewHash('pay', link))).toEqual({ view: 'pay', rest: link });
  expect(walletPlaceOf('#/nothing')).toEqual({ view: 'balances', rest: '' });
  expect(walletPlaceOf('#/pay/%E0%A4%A')).toEqual({ view: 'pay', rest: '' });
});
