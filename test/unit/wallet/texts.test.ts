import { describe, expect, it } from 'vitest';
import type { WalletPayment } from '../../../src/http/wallet.ts';
import { durationText } from '../../../src/page-parts/time-left.ts';
import { viewHash, walletPlaceOf } from '../../../src/wallet-page/state/router.ts';
import { typedAmount, typedIdentifier } from '../../../src/wallet-page/texts/amounts.ts';
import { EVERY_CHANNEL, listed } from '../../../src/wallet-page/texts/channel-list.ts';
import {
  blocksText,
  etherText,
  gasOf,
  untilSettled,
} from '../../../src/wallet-page/texts/costs.ts';
import { csvLine, csvRow } from '../../../src/wallet-page/texts/csv.ts';
import { keyOf, paidBefore } from '../../../src/wallet-page/texts/earlier.ts';
import { matches, NO_FILTER } from '../../../src/wallet-page/texts/filter.ts';
import { addressMeant, otherName } from '../../../src/wallet-page/texts/names.ts';
import { may } from '../../../src/wallet-page/texts/scopes.ts';
import { sumsOf } from '../../../src/wallet-page/texts/sums.ts';

const BOB = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const EVE = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';

const common = { log_time: '2026-01-31T09:08:07.120', token_address: TOKEN } as const;
const SENT: WalletPayment = {
  ...{ event: 'EventPaymentSentSuccess', target: BOB, ...common },
  ...{ amount: '1500000000000000000', identifier: '42' },
};
const FAILED: WalletPayment = {
  ...{ event: 'EventPaymentSentFailed', target: EVE, ...common },
  reason: 'there is no route, "sorry"',
  ...{ amount: '25', identifier: '7' },
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

  it('is said in the other way than it was written', () => {
    expect(otherName('Bob', BOB, names)).toBe(BOB);
    expect(otherName(` ${EVE} `, EVE, names)).toBe('eve');
    expect(otherName(EVE, EVE, [])).toBe('No name of this node is for it.');
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
    expect(gasOf(['approve', 'deposit'], facts)).toEqual({
      ...{ units: 190_000n, wei: 380_000_000_000_000n },
      text: 'at most about 190,000 gas, 2 transactions',
    });
    expect(gasOf(['close'], { ...facts, gasPrice: null })).toEqual({
      ...{ units: 130_000n, wei: null },
      text: 'at most about 130,000 gas, one transaction',
    });
  });

  it.each([
    [0n, '0 ETH'],
    [1n, '1e-18 ETH'],
    [123_456_789n, '1.234…e-10 ETH'],
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
    const received: WalletPayment = {
      ...{ event: 'EventPaymentReceivedSuccess', initiator: BOB, amount: '5' },
      ...{ identifier: '42', ...common },
    };
    expect(keyOf(asked, [])).toBe(keyOf({ ...asked }, [received]));
    const keys = [keyOf(asked, []), keyOf(asked, [FAILED]), keyOf(asked, [FAILED, SENT])];
    expect(new Set(keys).size).toBe(3);
    expect(keyOf({ ...asked, amount: '6' }, [])).not.toBe(keyOf(asked, []));
    expect(Math.max(...keys.map((key) => key.length))).toBeLessThan(255);
    expect([paidBefore([]), paidBefore([FAILED, received])]).toEqual([null, null]);
    expect(paidBefore([SENT, FAILED])).toEqual({
      units: 1_500_000_000_000_000_000n,
      time: Date.UTC(2026, 0, 31, 9, 8, 7, 120),
    });
  });
});

it('sums what channels carry, says which carries most, and leaves out tokens of which there is nothing', () => {
  const channel = (partner: typeof BOB | typeof EVE, canPay: string, canReceive: string) => ({
    ...({ token: TOKEN, partner, canPay, canReceive, settleBlock: null } as const),
  });
  const token = (address: typeof BOB | typeof EVE | typeof TOKEN, onChain: string | null) => ({
    ...{ address, symbol: 'T', decimals: 0, isRegistered: true },
    onChain,
  });
  const NOTHING = { all: 0n, most: 0n, partner: null };
  const tokens = [token(BOB, '0'), token(EVE, '7'), token(TOKEN, null)];
  const channels = [channel(BOB, '2', '5'), channel(EVE, '3', '0'), channel(BOB, '0', '0')];
  expect(sumsOf(tokens, channels)).toEqual([
    {
      token: TOKEN,
      pay: { all: 5n, most: 3n, partner: EVE },
      receive: { all: 5n, most: 5n, partner: BOB },
      onChain: null,
    },
    { token: EVE, pay: NOTHING, receive: NOTHING, onChain: 7n },
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

describe('many channels', () => {
  const one = (partner: string, token: string, canPay: bigint, state = 'opened') => ({
    ...{ partner, token, canPay, state, canReceive: 10n },
  });
  const all = [one(BOB, TOKEN, 2n), one(EVE, EVE, 9n), one(EVE, TOKEN, 3n, 'closed')];
  const names = (partner: string) => (partner === BOB ? 'bob' : '');
  const canPay = (filter: Partial<typeof EVERY_CHANNEL>) =>
    listed(all, { ...EVERY_CHANNEL, ...filter }, names).map((channel) => channel.canPay);

  it('are listed token by token, those that can pay most first', () => {
    expect(canPay({})).toEqual([3n, 2n, 9n]);
  });

  it('are found by name, address, token and state', () => {
    expect(canPay({ text: ' BO' })).toEqual([2n]);
    expect(canPay({ text: EVE.slice(0, 9) })).toEqual([3n, 9n]);
    expect(canPay({ token: EVE })).toEqual([9n]);
    expect(canPay({ state: 'closed' })).toEqual([3n]);
    expect(canPay({ text: 'nobody' })).toEqual([]);
  });
});
