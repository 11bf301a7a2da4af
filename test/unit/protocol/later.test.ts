/** Numbered fields that a later version may add to messages and to the changes of an Update. */
import fc from 'fast-check';
import { concat, type Hex, keccak256, numberToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/basics/hex.ts';
import { MAX_LATER_BYTES, MAX_LATER_FIELDS } from '../../../src/protocol/messages/later.ts';
import { decodeMessage, encodeMessage } from '../../../src/protocol/messages/message-codec.ts';
import { additionalHash, signingDigest } from '../../../src/protocol/messages/message-hash.ts';
import { packAdditional, type Update } from '../../../src/protocol/messages/update.ts';
import { MAX_LINE_BYTES } from '../../../src/protocol/wire/lines.ts';
import updates from '../../update-vectors.json' with { type: 'json' };
import { anyLater } from './arbitraries.ts';
import { publishedCases } from './support.ts';

type Wire = { [name: string]: unknown };

const row = updates.cases.find(({ name }) => name.startsWith('all types'));
const PLAIN: Wire = { ...row?.json };
const CHANGES: Wire[] = (row?.json.changes ?? []).map((one) => ({ ...one }));
const ODD = [
  ['1', '0xab'],
  ['7', '0x'],
];

const withLater = (later: unknown): Wire => ({ ...PLAIN, later });
/** The Update with this in its change at this place. */
const inChange = (place: number, later: unknown): Wire => ({
  ...PLAIN,
  changes: CHANGES.map((one, at) => (at === place ? { ...one, later } : one)),
});

const decode = (wire: Wire) => decodeMessage(JSON.stringify(wire));

function reasonOf(wire: Wire): string | null {
  const result = decode(wire);
  return result.ok ? null : result.reason;
}

function updateIn(wire: Wire): Update {
  const result = decode(wire);
  if (!result.ok) throw new Error(result.reason);
  if (result.value.message.type !== 'Update') throw new Error('no Update');
  return result.value.message;
}

const NUMBERS = {
  later: [
    { number: 1, content: '0xab' },
    { number: 7, content: '0x' },
  ],
};
/** A message of each type, as it is on the wire. */
const EACH: Wire[] = [...publishedCases.map(({ json }): Wire => ({ ...json })), PLAIN].filter(
  (wire) => decode(wire).ok,
);

describe('a field with an odd number', () => {
  it('is passed over in a message of any type', () => {
    expect(EACH.length).toBeGreaterThan(10);
    for (const wire of EACH) {
      const [plain, more] = [decode(wire), decode({ ...wire, later: ODD })];
      if (!plain.ok || !more.ok) throw new Error('refused');
      const { message, signature } = plain.value;
      const known = message.type === 'Update' ? { ...message, ...NUMBERS } : message;
      expect(more.value).toEqual({ message: known, signature });
    }
  });

  it('is passed over in a change of any type, and kept with it', () => {
    for (const [place, change] of updateIn(PLAIN).changes.entries())
      expect(updateIn(inChange(place, ODD)).changes[place]).toEqual({ ...change, ...NUMBERS });
  });

  it('is written as it was read', () => {
    for (const wire of [withLater(ODD), ...CHANGES.map((_, place) => inChange(place, ODD))]) {
      const read = decode(wire);
      if (!read.ok) throw new Error(read.reason);
      expect(decodeMessage(encodeMessage(read.value))).toEqual(read);
    }
  });

  it('becomes lower case', () => {
    expect(updateIn(withLater([['1', '0xAB']]))).toEqual(updateIn(withLater([['1', '0xab']])));
  });
});

describe('a field with an even number', () => {
  it('is refused in a message of any type, as a type that nobody knows is', () => {
    for (const wire of EACH) {
      const words = `${wire['type']}: later has an even number that is not known`;
      for (const number of ['0', '2', '65534'])
        expect(reasonOf({ ...wire, later: [[number, '0xab']] })).toBe(words);
      expect(reasonOf({ ...wire, later: [...ODD, ['8', '0x']] })).toBe(words);
    }
  });

  it('is refused in a change of any type, with all of the Update', () => {
    for (const place of CHANGES.keys())
      expect(reasonOf(inChange(place, [['2', '0x']]))).toBe(
        `Update: changes.${place}.later has an even number that is not known`,
      );
  });
});

const most = (count: number) =>
  Array.from({ length: count }, (_, at) => [String(2 * at + 1), '0x']);
const bytes = (count: number) => `0x${'ab'.repeat(count)}`;

describe('numbered fields are refused', () => {
  it.each<[string, unknown]>([
    ['as an empty list, which would be a second way to say none', []],
    ['as null', null],
    ['as an object', { 1: '0xab' }],
    ['as text', '0xab'],
    [
      'with a number twice',
      [
        ['1', '0xab'],
        ['1', '0xab'],
      ],
    ],
    [
      'out of order',
      [
        ['3', '0x'],
        ['1', '0x'],
      ],
    ],
    ['with a number that is no text', [[1, '0xab']]],
    ['with a leading zero', [['01', '0xab']]],
    ['with a sign', [['-1', '0xab']]],
    ['with a number above 16 bits', [['65537', '0xab']]],
    ['with a number of many digits', [['9'.repeat(10_000), '0xab']]],
    ['with half a byte', [['1', '0xabc']]],
    ['without 0x', [['1', 'ab']]],
    ['with something else than bytes', [['1', { ab: 1 }]]],
    ['with text in the bytes', [['1', '0xzz']]],
    ['without a content', [['1']]],
    ['with more than a content', [['1', '0xab', '0xab']]],
    ['as a flat list', ['1', '0xab']],
    ['as one too many', most(MAX_LATER_FIELDS + 1)],
    ['as one with too many bytes', [['1', bytes(MAX_LATER_BYTES + 1)]]],
    [
      'as two with too many bytes',
      [
        ['1', bytes(MAX_LATER_BYTES)],
        ['3', '0xab'],
      ],
    ],
  ])('%s', (_, later) => {
    expect(reasonOf(withLater(later))).toBe('Update: later is missing or malformed');
    expect(reasonOf(inChange(1, later))).toBe('Update: changes.1.later is missing or malformed');
    for (const wire of EACH) expect(reasonOf({ ...wire, later })).toContain(': later is missing');
  });

  it('with a name that stands twice', () => {
    const line = JSON.stringify(withLater(ODD));
    expect(decodeMessage(`${line.slice(0, -1)},"later":[["1","0xab"]]}`)).toEqual({
      ok: false,
      reason: 'a name stands twice',
    });
  });

  it('only beyond what is allowed', () => {
    expect(reasonOf(withLater(most(MAX_LATER_FIELDS)))).toBeNull();
    const halves = [bytes(MAX_LATER_BYTES / 2), bytes(MAX_LATER_BYTES / 2)];
    expect(reasonOf(withLater(halves.map((half, at) => [String(2 * at + 1), half])))).toBeNull();
    expect(reasonOf(withLater([['65535', bytes(MAX_LATER_BYTES)]]))).toBeNull();
  });

  it('when all of them together make a line too long', () => {
    const later = [['1', bytes(MAX_LATER_BYTES)]];
    const changes = Array.from({ length: 32 }, () => ({ ...CHANGES[1], later }));
    expect(JSON.stringify({ ...PLAIN, changes }).length).toBeGreaterThan(MAX_LINE_BYTES);
    expect(reasonOf({ ...PLAIN, changes })).toContain('longer');
  });
});

describe('the signature of an Update', () => {
  it('is that of before when there are none', () => {
    expect(additionalHash(updateIn(PLAIN))).toBe(row?.additional_hash);
  });

  it('covers each of them, where it stands, and nothing more than them', () => {
    const ways = [
      PLAIN,
      withLater(ODD),
      withLater([ODD[0]]),
      withLater([ODD[1]]),
      withLater([
        ['1', '0xac'],
        ['7', '0x'],
      ]),
      withLater([
        ['1', '0xab'],
        ['9', '0x'],
      ]),
      // The border between two fields is covered, too.
      withLater([
        ['1', '0x'],
        ['7', '0xab'],
      ]),
      withLater([['1', '0xab00070000']]),
      ...CHANGES.map((_, place) => inChange(place, ODD)),
      { ...inChange(0, ODD), later: ODD },
    ];
    const hashes = ways.map((wire) => additionalHash(updateIn(wire)));
    expect(new Set(hashes).size).toBe(ways.length);
    const digests = ways.map((wire) => toHex(signingDigest(updateIn(wire))));
    expect(new Set(digests).size).toBe(ways.length);
  });

  it('covers the bytes that docs/messages.md says', () => {
    const field = (number: number, content: Hex) =>
      concat([
        numberToHex(number, { size: 2 }),
        numberToHex((content.length - 2) / 2, { size: 2 }),
        content,
      ]);
    const record = concat(['0xff', keccak256(concat([field(1, '0xab'), field(7, '0x')]))]);
    const before = toHex(packAdditional(updateIn(PLAIN)));
    const head = 2 + 2 * 9;
    expect(toHex(packAdditional(updateIn(withLater(ODD))))).toBe(
      `${before.slice(0, head)}${record.slice(2)}${before.slice(head)}`,
    );
    const last = CHANGES.length - 1;
    expect(toHex(packAdditional(updateIn(inChange(last, ODD))))).toBe(
      `${before}${record.slice(2)}`,
    );
  });

  it('differs for any two messages that differ in them', () => {
    const update = updateIn(PLAIN);
    fc.assert(
      fc.property(anyLater, anyLater, fc.nat(), (one, other, pick) => {
        const place = pick % update.changes.length;
        const changes = update.changes.map((change, at) =>
          at === place ? { ...change, later: other } : change,
        );
        const hashes = [
          update,
          { ...update, later: one },
          { ...update, later: other },
          { ...update, changes },
          { ...update, later: one, changes },
        ].map(additionalHash);
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(new Set(hashes).size).toBe(isSame ? 4 : 5);
      }),
      { numRuns: 300 },
    );
  });
});
