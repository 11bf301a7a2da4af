/** What is counted of an answer, however it is cut into chunks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rate, Unit } from '../../../src/paywall/price.ts';
import { createUse } from '../../../src/paywall/use/by-use.ts';
import { type Meter, meterOf } from '../../../src/paywall/use/counters.ts';
import { namedIn } from '../../../src/paywall/use/named.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const rate = (by: Unit, most = 1_000_000_000n, each = 10n): Rate => ({
  by,
  most,
  each,
  decimals: 6,
});

/** Chunks of the text with random borders, also between the bytes of one letter, and empty ones. */
const chunksOf = (text: string) =>
  fc.array(fc.nat(bytesOf(text).length)).map((cuts) => {
    const bytes = bytesOf(text);
    const borders = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
    return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
  });

/** The bytes that pass. */
function passed(meter: Meter, chunks: readonly Uint8Array[]): string {
  const taken: Uint8Array[] = [];
  for (const chunk of chunks) {
    const fits = meter.take(chunk);
    taken.push(chunk.subarray(0, fits));
    if (fits < chunk.byteLength) break;
  }
  return new TextDecoder().decode(Buffer.concat(taken));
}

const EVENTS = [
  'data: one\n\n',
  ': nothing\n\n',
  'event: x\r\ndata: zwei – 二 – 🐉\r\ndata: more\r\n\r\n',
  'id: 5\rdata\r\r',
  'database: no\n\n',
  '\n\n',
  'data:last\n\n',
];
const STREAM = EVENTS.join('');

describe('bytes', () => {
  it('are counted up to the most, wherever chunks begin', () => {
    const text = 'zwei – 二 – 🐉'.repeat(5);
    fc.assert(
      fc.property(chunksOf(text), fc.integer({ min: 1, max: 200 }), (chunks, limit) => {
        const meter = meterOf(rate('byte', BigInt(limit) * 10n + 9n), false);
        const size = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
        let fits = 0;
        for (const chunk of chunks) fits += meter.take(chunk);
        expect(fits).toBe(Math.min(size, limit));
        expect(meter.cost(false)).toBe(10n * BigInt(fits));
      }),
    );
  });
});

describe('events', () => {
  it('are the blocks with data, wherever chunks begin and lines end', () => {
    fc.assert(
      fc.property(chunksOf(`\uFEFF${STREAM}`), (chunks) => {
        const meter = meterOf(rate('event'), true);
        passed(meter, chunks);
        expect(meter.cost(true)).toBe(40n);
      }),
    );
  });

  it('pass whole up to the most, and nothing after it does', () => {
    const upTo = (count: number) => EVENTS.slice(0, count).join('');
    // The comment after the first event is none, and is not waited for.
    const ends = [upTo(1), upTo(3), upTo(4), STREAM];
    fc.assert(
      fc.property(chunksOf(STREAM), fc.integer({ min: 1, max: 5 }), (chunks, limit) => {
        const meter = meterOf(rate('event', BigInt(limit) * 10n), true);
        expect(passed(meter, chunks)).toBe(ends[Math.min(limit, 4) - 1]);
        expect(meter.cost(false)).toBe(10n * BigInt(Math.min(limit, 4)));
      }),
    );
  });

  it('count from when they begin, and one answer that is no stream is one', () => {
    const meter = meterOf(rate('event'), true);
    meter.take(bytesOf('data: a\n\nevent: b\nda'));
    expect(meter.cost(false)).toBe(10n);
    meter.take(bytesOf('ta:'));
    expect(meter.cost(false)).toBe(20n);
    expect(meterOf(rate('event'), false).cost(true)).toBe(10n);
  });
});

describe('tokens', () => {
  const openAi = {
    id: 'x',
    usage: { prompt_tokens: 7, total_tokens: 12, details: { total_tokens: 3 } },
  };
  const responses = {
    type: 'response.completed',
    response: { usage: { input_tokens: 5, output_tokens: 7 } },
  };
  /** What a caller may have had written into an answer. */
  const forged = {
    choices: [{ text: '"usage":{"total_tokens":0}', usage: { total_tokens: 0 } }],
    quote: 'one " and a \\',
    tools: { usage: { total_tokens: 0 }, a: { usage: { total_tokens: 0 } } },
    usage: { total_tokens: 12 },
    text: '\\"usage": {"total_tokens": 1}, "\\\\',
    metadata: { usage: { total_tokens: 0 } },
  };

  it.each([
    ['a sum', openAi],
    ['two parts, in what it has completed', responses],
    ['a sum beside others that it does not say', forged],
    ['a sum behind a long text', { text: 'x'.repeat(300_000), usage: { total_tokens: 12 } }],
  ])('are read of an answer that says %s', (_, answer) => {
    for (const text of [JSON.stringify(answer), JSON.stringify(answer, null, 2)])
      fc.assert(
        fc.property(chunksOf(text), (chunks) => {
          const meter = meterOf(rate('token'), false);
          passed(meter, chunks);
          expect(meter.cost(true)).toBe(120n);
        }),
        { numRuns: text.length > 10_000 ? 3 : 100 },
      );
  });

  it.each([
    ['nothing', {}],
    ['one part', { usage: { input_tokens: 5 } }],
    ['what is no whole number', { usage: { total_tokens: 1.5 } }],
    ['less than nothing', { usage: { total_tokens: -5 } }],
    ['a power', '{"usage":{"total_tokens":1e3}}'],
    ['a text', { usage: { total_tokens: '12' } }],
    ['an object', { usage: { total_tokens: { a: { b: { c: 5 } } } } }],
    ['a number without an end', `{"usage":{"total_tokens":${'9'.repeat(400)}}}`],
    ['it elsewhere', [{ usage: { total_tokens: 12 } }, { usage: { total_tokens: 12 } }]],
    ['it in a text', '"usage":{"total_tokens":12}'],
  ])('are not known when the answer says %s', (_, answer) => {
    const meter = meterOf(rate('token'), false);
    meter.take(bytesOf(typeof answer === 'string' ? answer : JSON.stringify(answer)));
    expect(meter.cost(true)).toBeNull();
  });

  const event = (value: unknown) =>
    `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
  const chat = [{ delta: 'a' }, { delta: '"usage":{"total_tokens":0}' }, openAi, '[DONE]'].map(
    event,
  );
  const messages = [
    { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: 'content_block_delta', delta: { text: 'a' } },
    { type: 'message_delta', usage: { output_tokens: 7 } },
    '{"type": "message_stop"  }',
  ].map(event);

  it.each([
    ['its last event', chat],
    ['several events', messages],
  ])('are read of a stream that says them in %s', (_, events) => {
    fc.assert(
      fc.property(chunksOf(events.join('')), fc.integer({ min: 0, max: 2 }), (chunks, cut) => {
        const whole = meterOf(rate('token'), true);
        passed(whole, chunks);
        expect([whole.cost(false), whole.cost(true)]).toEqual([120n, 120n]);
        const broken = meterOf(rate('token'), true);
        broken.take(bytesOf(events.slice(0, cut).join('')));
        // The first message says what has passed until then.
        expect(broken.cost(false)).toBe(events === messages && cut === 1 ? 60n : null);
      }),
    );
  });

  it('never come to more than the most', () => {
    const meter = meterOf(rate('token', 70n), false);
    meter.take(bytesOf(JSON.stringify(openAi)));
    expect(meter.cost(true)).toBe(70n);
  });
});

describe('what a server names', () => {
  const terms = { most: 5_000_000n, decimals: 6 };

  it.each([
    ['1.5', 1_500_000n],
    ['0', 0n],
    ['0.000001', 1n],
    ['00.5', 500_000n],
    ['0.30000000000000004', 300_000n],
    ['0.0000009', 0n],
    ['7', 5_000_000n],
    ['9'.repeat(78), 5_000_000n],
  ])('is an amount of whole tokens, at most the most: %s', (text, amount) => {
    expect(namedIn([text], terms)).toEqual({ kind: 'amount', amount });
  });

  it.each([
    '-1',
    '+1',
    'NaN',
    'Infinity',
    '1e3',
    '1e-7',
    '',
    '.5',
    '5.',
    '0x10',
    '1, 1',
    '1 DAI',
    '9'.repeat(79),
    '٣',
  ])('is nonsense when it is no decimal number: %s', (text) => {
    expect(namedIn([text], terms)).toEqual({ kind: 'nonsense' });
  });

  it('is nonsense when it comes twice, and may be missing', () => {
    expect(namedIn(['1', '1'], terms)).toEqual({ kind: 'nonsense' });
    expect(namedIn([], terms)).toEqual({ kind: 'nothing' });
  });
});

describe('an answer that is sold by its use', () => {
  const gone = (leave: AbortController) => leave.abort();
  const cancel = (_: AbortController, answer: Response) => answer.body?.cancel();
  const fail = async (_: AbortController, answer: Response, source: Source) => {
    const text = answer.text();
    source.error(new Error('broken'));
    await expect(text).rejects.toThrow('broken');
  };
  const end = async (_: AbortController, answer: Response, source: Source) => {
    source.close();
    await answer.text();
  };
  type Source = ReadableStreamDefaultController<Uint8Array>;

  it.each([
    ['is never read, and its buyer leaves', [gone], 0n],
    ['is read by nobody but the server after its buyer has left', [gone, end], 0n],
    ['is given up', [cancel, gone], 0n],
    ['is broken off before anything has passed', [fail, gone], 0n],
    ['is over', [end, gone, cancel], 30n],
  ] as const)('is charged once when it %s', async (_, steps, cost) => {
    const sources: Source[] = [];
    const body = new ReadableStream<Uint8Array>({ start: (one) => void sources.push(one) });
    const leave = new AbortController();
    const use = createUse(rate('byte'));
    const upstream = use.opened(() => Promise.resolve(new Response(body)));
    const opened = await upstream(new Request('http://shop.example'), null);
    const charges: bigint[] = [];
    const receipt = { success: true, transaction: '', network: 'eip155:1' } as const;
    const answer = use.sold(opened, leave.signal, {
      charge: (amount) => {
        charges.push(amount);
        return { amount, left: null, receipt };
      },
      announced: () => receipt,
      report: () => {},
    });
    const [source] = sources;
    if (source === undefined) throw new Error('it has begun');
    source.enqueue(bytesOf('abc'));
    for (const step of steps) await Promise.resolve(step(leave, answer, source)).catch(() => {});
    expect(charges).toEqual([cost]);
  });
});
