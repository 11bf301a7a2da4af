import { describe, expect, it } from 'vitest';
import { channelLine, pageOf, sumsOf } from '../../../src/inspector/overview.ts';
import { seenOf } from '../../../src/inspector/replay/contexts.ts';
import type { ChannelLine, Labels } from '../../../src/inspector/wire.ts';
import { standingOf } from '../../../src/inspector-page/views/home/standing.ts';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { addLock, openChannel } from '../../support/channel-makers.ts';
import { STRANGER, TOKEN } from '../../support/makers.ts';

function lineOf(
  { snapshot }: ReturnType<typeof openChannel>,
  actor = 'channel:0x1:1',
): ChannelLine {
  const seen = seenOf(stateFrom(actor, snapshot));
  if (seen.kind !== 'channel') throw new Error('no channel');
  return channelLine(actor, seen);
}
const some = lineOf(openChannel());
const line = (parts: Partial<ChannelLine>): ChannelLine => ({ ...some, ...parts });
const closed = { state: 'closed', isOpen: false };
const now = { block: 100n, blockSeconds: 12 };
const LABELS: Labels = {
  tokens: [{ address: TOKEN, symbol: 'TTA', decimals: 18 }],
  names: [{ address: STRANGER, name: 'zoe' }],
};
const WANTED = { find: '', state: 'all', order: 'number', from: 0, limit: 25 } as const;

describe('what can be paid and received', () => {
  it('is what is free in open channels, without what is locked', () => {
    const [sums] = sumsOf([
      lineOf(openChannel({ deposit: 50n, partnerDeposit: 7n }).tell(addLock())),
    ]);
    const locked = addLock().amount;
    expect(sums).toMatchObject({ canPay: 50n - locked, canReceive: 7n, channels: 1, open: 1 });
  });

  it('is nothing in a closed channel', () => {
    const none = { ...some.own, capacity: 0n };
    const [sums] = sumsOf([line({ ...closed, own: none, partner: none })]);
    expect(sums).toMatchObject({ canPay: 0n, canReceive: 0n, channels: 1, open: 0 });
  });

  it('is told for all channels, and for the one with the most', () => {
    const [sums] = sumsOf([some, line({ own: { ...some.own, capacity: 30n } })]);
    expect(sums).toMatchObject({ canPay: 130n, mostPay: 100n, mostReceive: 100n });
  });
});

describe('the channels of a page', () => {
  const many = Array.from({ length: 40 }, (_, n) => line({ actor: `channel:0x1:${n + 1}` }));
  const actorsOf = (lines: readonly ChannelLine[]) => lines.map(({ actor }) => actor.slice(12));

  it('come in the order of their numbers, so many at a time', () => {
    const { found, shown } = pageOf(many, { ...WANTED, from: 8, limit: 3 }, LABELS);
    expect([found, actorsOf(shown)]).toEqual([40, ['9', '10', '11']]);
  });

  it('are there at once though there are many, and all alike: payments wait meanwhile', () => {
    const thousands = Array.from({ length: 20_000 }, (_, n) =>
      line({ actor: `channel:0x1:${((n * 7_919) % 20_000) + 1}` }),
    );
    const begun = performance.now();
    const { shown } = pageOf(thousands, { ...WANTED, order: 'pay', limit: 2 }, LABELS);
    expect(actorsOf(shown)).toEqual(['1', '2']);
    expect(performance.now() - begun).toBeLessThan(500);
  });

  it.each([
    ['zoe', 1],
    [STRANGER.toLowerCase(), 1],
    ['tta', 3],
    ['nobody', 0],
  ])('that are found by %s are %i', (find, found) => {
    const partner = { ...some.partner, address: STRANGER };
    const lines = [some, some, line({ partner })];
    expect(pageOf(lines, { ...WANTED, find }, LABELS).found).toBe(found);
  });

  it('show what is due first, then what is ending', () => {
    const lines = [
      line({ actor: 'channel:0x1:1' }),
      line({ actor: 'channel:0x1:2', ...closed }),
      line({ actor: 'channel:0x1:3', dueBlock: 9n }),
    ];
    expect(actorsOf(pageOf(lines, { ...WANTED, order: 'due' }, LABELS).shown)).toEqual([
      '3',
      '2',
      '1',
    ]);
    expect(pageOf(lines, { ...WANTED, state: 'ending' }, LABELS).found).toBe(1);
  });
});

describe('where a channel stands', () => {
  it.each([
    [{}, 'open'],
    [{ locks: 2, dueBlock: 110n }, 'open, 2 payments in it, next deadline in 10 blocks'],
    [{ ...closed, dueBlock: 118n }, 'closed, 18 blocks left, about 4 minutes'],
    [{ ...closed, dueBlock: 100n }, 'closed, its settlement is due'],
    [{ state: 'closing', isOpen: false }, 'closing, the transaction is on its way'],
    [{ state: 'opened.deposit.depositing+withdraw.idle' }, 'open, a deposit is on its way'],
  ])('%o is said as "%s"', (parts, words) => {
    expect(standingOf(line(parts), now).words).toBe(words);
  });

  it('is told in blocks alone where nobody knows how long one takes', () => {
    const { words } = standingOf(line({ ...closed, dueBlock: 101n }), {
      ...now,
      blockSeconds: null,
    });
    expect(words).toBe('closed, 1 block left');
  });
});
