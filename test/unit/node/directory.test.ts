import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hopName } from '../../../machines/events/notices.ts';
import { createDirectory } from '../../../src/node/runtime/actors/directory.ts';
import { NETWORK as OTHER_TOKEN, PARTNER, STRANGER, TOKEN } from '../../support/makers.ts';

const channel = (channelId: bigint, openBlock: bigint, partner = PARTNER) => ({
  token: TOKEN,
  partner,
  openBlock,
  channelId,
});
/** Two of one block among them, and more than nine: their numbers are no texts. */
const OPENED = [
  ['a', channel(7n, 100n)],
  ['b', channel(8n, 250n)],
  ['c', channel(9n, 300n)],
  ['d', channel(10n, 300n)],
] as const;
const NEWEST = 'd';

function directoryOf(order: readonly (typeof OPENED)[number][], settled: readonly string[]) {
  const directory = createDirectory({ isSettled: (id) => settled.includes(id) });
  for (const [id, opened] of order) directory.add(id, opened);
  return directory;
}
const anyOrder = fc.shuffledSubarray([...OPENED], { minLength: OPENED.length });
const OLD = OPENED.map(([id]) => id).filter((id) => id !== NEWEST);

describe('the channel with a partner', () => {
  it('is the one that was opened last, in whatever order they were read', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const directory = directoryOf(order, OLD);
        expect(directory.find(TOKEN, PARTNER)).toBe(NEWEST);
        expect(directory.resolve(hopName(TOKEN, PARTNER))).toBe(NEWEST);
      }),
    );
  });

  it('stays the same, whichever older one ends', () => {
    fc.assert(
      fc.property(anyOrder, fc.subarray(OLD), (order, gone) => {
        const directory = directoryOf(order, OLD);
        for (const id of gone) directory.remove(id);
        expect(directory.find(TOKEN, PARTNER)).toBe(NEWEST);
        expect(directory.withPartner(PARTNER)).toHaveLength(OPENED.length - gone.length);
      }),
    );
  });

  it('is none when the last one has ended, though older ones still claim what is theirs', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const directory = directoryOf(order, OLD);
        directory.remove(NEWEST);
        expect(directory.find(TOKEN, PARTNER)).toBeNull();
        expect(directory.resolve(hopName(TOKEN, PARTNER))).toBeNull();
        expect(directory.ofToken(TOKEN)).toHaveLength(OLD.length);
      }),
    );
  });

  it('is none as soon as it is settled, so that another can be opened', () => {
    const settled: string[] = [];
    const directory = createDirectory({ isSettled: (id) => settled.includes(id) });
    directory.add('a', channel(1n, 5n));
    expect(directory.find(TOKEN, PARTNER)).toBe('a');
    settled.push('a');
    expect(directory.find(TOKEN, PARTNER)).toBeNull();
    directory.add('b', channel(2n, 90n));
    expect(directory.find(TOKEN, PARTNER)).toBe('b');
  });

  it('is not found for anybody else, and is listed once', () => {
    const directory = directoryOf([...OPENED, ...OPENED], OLD);
    expect(directory.find(TOKEN, STRANGER)).toBeNull();
    expect(directory.ofToken(null)).toHaveLength(OPENED.length);
    for (const [id] of OPENED) directory.remove(id);
    expect(directory.find(TOKEN, PARTNER)).toBeNull();
  });
});

describe('the channels of a token', () => {
  const directory = directoryOf(OPENED.slice(0, 2), []);
  directory.add('e', { ...channel(1n, 5n), token: OTHER_TOKEN });

  it('are found by the token, and all of them without one', () => {
    expect(directory.ofToken(TOKEN)).toEqual(['a', 'b']);
    expect(directory.ofToken(OTHER_TOKEN)).toEqual(['e']);
    expect(directory.ofToken(null)).toEqual(['a', 'b', 'e']);
    expect(['a', 'e', 'f'].map(directory.has)).toEqual([true, true, false]);
  });

  it('are none for a token that has none', () => {
    expect(directory.ofToken(STRANGER)).toEqual([]);
    expect(directory.find(STRANGER, PARTNER)).toBeNull();
  });

  it('stay when one ends that is not among them', () => {
    directory.remove('f');
    expect(directory.ofToken(null)).toHaveLength(3);
  });
});
