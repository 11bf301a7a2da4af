import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_UINT64 } from '../../../src/basics/amount.ts';
import { type Address, parseAddress } from '../../../src/basics/hex.ts';
import type { PaymentRecord } from '../../../src/node/runtime/commits/records.ts';
import { createEchoBook } from '../../../src/services/echo/book.ts';
import { createDraw } from '../../../src/services/echo/draw.ts';
import { type Echo, echoIdentifier, type LotteryDraw } from '../../../src/services/echo/rules.ts';
import { createSigner } from '../../../src/signer/signer.ts';

const address = (digits: string): Address => {
  const parsed = parseAddress(`0x${digits.padStart(40, '0')}`);
  if (parsed === null) throw new Error(`no address from ${digits}`);
  return parsed;
};
const TOKEN = address('a1');
const OTHER = address('a2');
const payer = (number: number) => address(String(number));

type Paid = { by?: number; id?: bigint; amount: bigint; token?: Address };
const received = ({ by = 1, id = 100n, amount, token = TOKEN }: Paid): PaymentRecord => ({
  event: 'EventPaymentReceivedSuccess',
  time: 5,
  token,
  amount,
  initiator: payer(by),
  paymentId: id,
});
const sent = ({ token, target, amount, paymentId }: Omit<Echo, 'time'>): PaymentRecord => {
  return { event: 'EventPaymentSentSuccess', time: 6, token, target, amount, paymentId };
};
const failed = ({ token, target }: Echo): PaymentRecord => {
  const facts = { token, target, reason: 'no route', paymentId: 9n };
  return { event: 'EventPaymentSentFailed', time: 6, ...facts };
};
const third: LotteryDraw = () => 2;
function owedAfter(history: readonly PaymentRecord[], draw = third): Echo[] {
  const book = createEchoBook(draw);
  history.forEach(book.note);
  return book.owed();
}
/** What is due to whom after these payments, as `payer: amount (identifier)`. */
const echoes = (...payments: Paid[]) =>
  owedAfter(payments.map(received)).map(
    ({ target, amount, paymentId }) => `${BigInt(target)}: ${amount} (${paymentId})`,
  );
/** One entry of each payer; the identifiers are 101, 102, … */
const entries = (...payers: number[]): Paid[] =>
  payers.map((by) => ({ by, id: 100n + BigInt(by), amount: 7n }));

/** The number that stands for a payer in the expected answers. */
const name = (by: number) => String(BigInt(payer(by)));

describe('an echo node answers', () => {
  it.each<[string, Paid[], string[]]>([
    ['any amount with the same', [{ amount: 5n }], ['1: 5 (105)']],
    ['the smallest amount with the same', [{ amount: 1n }], ['1: 1 (101)']],
    ['an amount divisible by 3 with one less', [{ amount: 9n }], ['1: 8 (108)']],
    ['the smallest amount divisible by 3', [{ amount: 3n }], ['1: 2 (102)']],
    ['a multiple of 7 that is divisible by 3 as such', [{ amount: 21n }], ['1: 20 (120)']],
    ['a multiple of 7 as any other', [{ amount: 14n }], ['1: 14 (114)']],
    ['a prize that comes back as any other', [{ amount: 49n }], ['1: 49 (149)']],
    ['an identifier of another program, 0', [{ id: 0n, amount: 2n }], ['1: 2 (2)']],
    ['a repetition not at all', [{ amount: 5n }, { amount: 5n }, { amount: 5n }], ['1: 5 (105)']],
    [
      'the same identifier with another amount',
      [{ amount: 5n }, { amount: 4n }],
      ['1: 5 (105)', '1: 4 (104)'],
    ],
    [
      'the same amount with another identifier',
      [{ amount: 5n }, { id: 9n, amount: 5n }],
      ['1: 5 (105)', '1: 5 (14)'],
    ],
    [
      'a repetition that is not the next one',
      [{ amount: 5n }, { amount: 4n }, { amount: 5n }],
      ['1: 5 (105)', '1: 4 (104)', '1: 5 (105)'],
    ],
    [
      'a repetition not at all when only others paid in between',
      [{ amount: 5n }, { by: 2, amount: 5n }, { amount: 5n }],
      ['1: 5 (105)', '2: 5 (105)'],
    ],
    [
      'the same payment in another token',
      [{ amount: 5n }, { amount: 5n, token: OTHER }],
      ['1: 5 (105)', '1: 5 (105)'],
    ],
  ])('%s', (_, payments, expected) => {
    expect(echoes(...payments)).toEqual(expected);
  });

  it.each([
    [MAX_UINT64 - 5n, 5n, MAX_UINT64],
    [MAX_UINT64 - 4n, 5n, 1n],
    [MAX_UINT64, 1n, 1n],
    [MAX_UINT64, MAX_UINT64 * 3n + 2n, 2n],
  ])('identifier %i and echo %i with identifier %i', (id, amount, expected) => {
    expect(echoIdentifier(id, amount)).toBe(expected);
  });
});

describe('the lottery of an echo node', () => {
  it('answers none of the first six entrants', () => {
    expect(echoes(...entries(1, 2, 3, 4, 5, 6))).toEqual([]);
  });

  it('pays 49 to the one that is drawn when the seventh enters, for its own entry', () => {
    expect(echoes(...entries(1, 2, 3, 4, 5, 6, 7))).toEqual([`${name(3)}: 49 (152)`]);
  });

  it('tells a repeat entrant the number of tickets, and gives no second one', () => {
    const again = { by: 2, id: 500n, amount: 7n };
    expect(echoes(...entries(1, 2, 3), again)).toEqual([`${name(2)}: 3 (503)`]);
    expect(echoes(...entries(1, 2, 3), again, ...entries(4, 5, 6))).toHaveLength(1);
    expect(echoes(...entries(1, 2, 3), again, ...entries(4, 5, 6, 7))).toEqual([
      `${name(2)}: 3 (503)`,
      `${name(3)}: 49 (152)`,
    ]);
  });

  it('ignores an entry that only repeats the payment before', () => {
    expect(echoes(...entries(1, 1, 2, 3, 4, 5, 6))).toEqual([]);
  });

  it('begins anew after the draw', () => {
    const seven = entries(1, 2, 3, 4, 5, 6, 7);
    const again = seven.map((entry) => ({ ...entry, id: 200n }));
    expect(echoes(...seven, ...again.slice(0, 6))).toHaveLength(1);
    expect(echoes(...seven, ...again)).toEqual([`${name(3)}: 49 (152)`, `${name(3)}: 49 (249)`]);
  });

  it('is one of its own for each token', () => {
    const there = entries(7).map((entry) => ({ ...entry, token: OTHER }));
    expect(echoes(...entries(1, 2, 3, 4, 5, 6), ...there)).toEqual([]);
  });
});

describe('the draw', () => {
  const signer = createSigner(new Uint8Array(32).fill(7));
  const lottery = (round: number, id = 1n) => ({
    token: TOKEN,
    round,
    entries: [1, 2, 3, 4, 5, 6, 7].map((by) => ({
      token: TOKEN,
      initiator: payer(by),
      amount: 7n,
      paymentId: id,
      time: 5,
    })),
  });
  const winners = (key: number) => {
    const draw = createDraw(createSigner(new Uint8Array(32).fill(key)).sign);
    return Array.from({ length: 40 }, (_, round) => draw(lottery(round)));
  };

  it('finds the same winner whenever it is asked, in a later process too', () => {
    expect(winners(7)).toEqual(winners(7));
  });

  it('cannot be foretold without the key', () => {
    expect(winners(7)).not.toEqual(winners(8));
  });

  it('gives everybody a chance, also when the same entries come again', () => {
    expect(new Set(winners(7))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
    const draw = createDraw(signer.sign);
    const byIdentifier = Array.from({ length: 40 }, (_, id) => draw(lottery(0, BigInt(id + 1))));
    expect(new Set(byIdentifier).size).toBe(7);
  });
});

describe('an echo', () => {
  const two = received({ amount: 2n });
  const [echo] = owedAfter([two]);
  if (echo === undefined) throw new Error('nothing is due');

  it('is due until it is sent, and no longer', () => {
    expect(owedAfter([two, sent(echo)])).toEqual([]);
  });

  it('is still due when sending it failed', () => {
    expect(owedAfter([two, failed(echo)])).toEqual([echo]);
  });

  it('is not proved by what was sent before, or otherwise', () => {
    expect(owedAfter([sent(echo), two])).toEqual([echo]);
    for (const other of [
      { ...echo, amount: 3n },
      { ...echo, paymentId: 1n },
      { ...echo, target: payer(9) },
      { ...echo, token: OTHER },
    ])
      expect(owedAfter([two, sent(other)])).toEqual([echo]);
  });

  it('is due twice for two payments with echoes that look alike', () => {
    // 102 and 2, 100 and 4: identifier 104 for both, and the first one comes again later.
    const history = [received({ id: 102n, amount: 2n }), received({ id: 100n, amount: 4n })];
    const again = [...history, ...history].map((record, index) => ({ ...record, time: index }));
    const all = owedAfter(again);
    expect(all.map(({ amount, paymentId }) => [amount, paymentId])).toEqual([
      [2n, 104n],
      [4n, 104n],
      [2n, 104n],
      [4n, 104n],
    ]);
    expect(owedAfter([...again, sent(echoFor(2n))]).map(({ time }) => time)).toEqual([1, 2, 3]);
  });

  const echoFor = (amount: bigint) => ({ ...echo, amount, paymentId: 104n });
});

describe('whatever the history', () => {
  const payment = fc.record({
    by: fc.integer({ min: 1, max: 9 }),
    id: fc.bigInt({ min: 1n, max: 4n }),
    amount: fc.constantFrom(1n, 2n, 3n, 6n, 7n, 7n, 7n, 8n),
    token: fc.constantFrom(TOKEN, OTHER),
  });
  const key = createDraw(createSigner(new Uint8Array(32).fill(7)).sign);

  it('the echo node never gives more than it was given, but for what the draws took in', () => {
    fc.assert(
      fc.property(fc.array(payment, { maxLength: 120 }), (payments) => {
        const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);
        const given = sum(owedAfter(payments.map(received), key).map(({ amount }) => amount));
        expect(given).toBeLessThanOrEqual(sum(payments.map(({ amount }) => amount)));
      }),
    );
  });

  it('each death between two steps leaves the same echoes, each paid once', () => {
    fc.assert(
      fc.property(
        fc.array(payment, { maxLength: 60 }),
        fc.array(fc.nat(), { maxLength: 60 }),
        (payments, choices) => {
          const history: PaymentRecord[] = [];
          const paid: string[] = [];
          const settle = (choice: number) => {
            // A process that has just begun reads everything; then it pays one of its debts, or fails to.
            const owed = owedAfter(history, key);
            const echo = owed[choice % Math.max(owed.length, 1)];
            if (echo === undefined) return;
            if (choice % 5 === 0) return void history.push(failed(echo));
            history.push(sent(echo));
            paid.push(textOf(echo));
          };
          payments.forEach((one, index) => {
            history.push(received(one));
            const choice = choices[index];
            if (choice !== undefined) settle(choice);
          });
          while (owedAfter(history, key).length > 0) settle(1);
          const undisturbed = owedAfter(payments.map(received), key).map(textOf);
          expect(paid.sort()).toEqual(undisturbed.sort());
        },
      ),
    );
  });
});

function textOf({ token, target, amount, paymentId }: Echo): string {
  return `${token} ${target} ${amount} ${paymentId}`;
}
