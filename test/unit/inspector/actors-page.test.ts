import { describe, expect, it } from 'vitest';
import type { ListedActor } from '../../../src/inspector/wire.ts';
import { applySteps } from '../../../src/inspector-page/live/actors-rows.ts';
import {
  groupsOf,
  sortedBy,
  urgencyLimits,
  urgencyOf,
} from '../../../src/inspector-page/views/actors/groups.ts';
import {
  boxOf,
  cellAfter,
  cellAt,
  layoutOf,
  numberOf,
  rowAt,
} from '../../../src/inspector-page/views/actors/layout.ts';
import { USUAL_LOOK } from '../../../src/inspector-page/views/actors/look.ts';
import { openChannel } from '../../support/channel-makers.ts';
import { CHANNEL, PARTNER, TOKEN } from '../../support/makers.ts';
import { nextStep, syntheticRows } from '../../support/synthetic-actors.ts';
import { createStepWriter } from '../../support/synthetic-records.ts';

const ROWS = syntheticRows(500);

function row(parts: Partial<ListedActor>): ListedActor {
  const [first] = ROWS;
  if (first === undefined) throw new Error('there is no row');
  return { ...first, ...parts };
}

describe('the urgency of an actor', () => {
  const limits = urgencyLimits(10n);
  const urgency = (deadlineBlock: bigint | null) => urgencyOf(row({ deadlineBlock }), 100n, limits);

  it('grows as the block of its deadline comes near, and stays when it is past', () => {
    expect([111n, 110n, 106n, 105n, 100n, 90n].map(urgency)).toEqual([
      'far',
      'soon',
      'soon',
      'danger',
      'danger',
      'danger',
    ]);
  });

  it('is none without a deadline, whatever the block', () => {
    expect(urgency(null)).toBe('none');
    expect(urgencyOf(row({ isEnded: true, deadlineBlock: 100n }), 100n, limits)).toBe('ended');
  });
});

describe('the groups of actors', () => {
  it('hold every actor that was not filtered out, once', () => {
    const groups = groupsOf(ROWS, { ...USUAL_LOOK, ended: 'all' });
    const actors = groups.flatMap(({ rows }) => rows.map(({ actor }) => actor));
    expect(actors.toSorted()).toEqual(ROWS.map(({ actor }) => actor).toSorted());
  });

  it.each([
    [{ machine: 'target' }, (found: ListedActor) => found.machine === 'target'],
    [
      { partner: `${ROWS[3]?.partner}` },
      (found: ListedActor) => found.partner === ROWS[3]?.partner,
    ],
    [{ token: `${ROWS[3]?.token}` }, (found: ListedActor) => found.token === ROWS[3]?.token],
    [{ state: 'closed' }, (found: ListedActor) => found.state === 'closed'],
    [{ payment: `${ROWS[2]?.paymentId}` }, (found: ListedActor) => found.actor === ROWS[2]?.actor],
    [{ ended: 'ended' as const }, (found: ListedActor) => found.isEnded],
  ])('are narrowed by %o', (choice, holds) => {
    const found = groupsOf(ROWS, { ...USUAL_LOOK, ...choice }).flatMap(({ rows }) => rows);
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(holds)).toBe(true);
  });

  it('begin with the nearest deadline when that is asked for', () => {
    const [group] = groupsOf(ROWS, { ...USUAL_LOOK, order: 'deadline' });
    const blocks = group?.rows.flatMap(({ deadlineBlock }) => deadlineBlock ?? []) ?? [];
    expect(blocks).toEqual(blocks.toSorted((a, b) => Number(a - b)));
    expect(group?.rows.at(-1)?.deadlineBlock).toBeNull();
  });

  it('are sorted as a table by exact amounts', () => {
    const amounts = [3n, 2n ** 70n + 1n, 2n ** 70n];
    const rows = amounts.map((amount) => row({ amount }));
    const sorted = sortedBy(rows, 'amount', true).map(({ amount }) => amount);
    expect(sorted).toEqual([2n ** 70n + 1n, 2n ** 70n, 3n]);
  });
});

describe('the map of actors', () => {
  const layout = layoutOf(groupsOf(ROWS, USUAL_LOOK), 1_000);
  const numbers = Array.from({ length: layout.count }, (_, number) => number);

  it('finds each cell where it is drawn', () => {
    for (const number of numbers) {
      const { x, y } = boxOf(layout, number) ?? { x: -1, y: -1 };
      expect(cellAt(layout, { x: x + 2, y: y + 2 })).toBe(number);
      expect(x + layout.cell.width).toBeLessThanOrEqual(1_000);
    }
  });

  it('finds nothing on headings, between cells and past the last one', () => {
    expect(cellAt(layout, { x: 5, y: 5 })).toBeNull();
    const first = boxOf(layout, 0) ?? { x: 0, y: 0 };
    expect(cellAt(layout, { x: layout.cell.width + 2, y: first.y + 2 })).toBeNull();
    expect(cellAt(layout, { x: 999, y: layout.height })).toBeNull();
  });

  it('is walked from the first cell to the last by arrow keys, through all groups', () => {
    let number = 0;
    const seen = new Set<number>();
    while (!seen.has(number)) {
      seen.add(number);
      number = cellAfter(layout, number, 'ArrowDown') ?? number;
    }
    const last = layout.sections.at(-1)?.first ?? 0;
    expect(number).toBeGreaterThanOrEqual(last);
    for (let step = 0; step < seen.size; step++) number = cellAfter(layout, number, 'ArrowUp') ?? 0;
    expect(number).toBeLessThan(layout.columns);
    expect(cellAfter(layout, number, 'End')).toBe(layout.count - 1);
    expect(cellAfter(layout, 0, 'ArrowLeft')).toBe(0);
  });

  it('knows the cell of an actor wherever it has moved', () => {
    for (const number of numbers.slice(0, 50)) {
      expect(numberOf(layout, rowAt(layout, number)?.actor ?? '')).toBe(number);
    }
  });
});

describe('the rows of actors', () => {
  const writer = createStepWriter();

  it('follow the steps of their actors', () => {
    const before = row({});
    const rows = new Map([[before.actor, before]]);
    expect(applySteps(rows, [nextStep(writer, before, 1_000n)])).toBe(true);
    expect(rows.get(before.actor)?.deadlineBlock).not.toBe(before.deadlineBlock);
    const stop = writer.step({ actor: before.actor, block: 1n }, [{ kind: 'stop', state: 'gone' }]);
    applySteps(rows, [stop]);
    expect(rows.get(before.actor)).toMatchObject({ isEnded: true, deadlineBlock: null });
  });

  it('add an actor that is spawned, with what its context says', () => {
    const { context } = openChannel().snapshot;
    const spawned = writer.step({ actor: CHANNEL, block: 1n }, [
      {
        kind: 'spawn',
        machine: 'channel',
        version: '',
        input: null,
        isRestored: false,
        state: 'opened.deposit.idle+withdraw.idle',
        context,
      },
    ]);
    const rows = new Map<string, ListedActor>();
    applySteps(rows, [spawned]);
    expect(rows.get(CHANNEL)).toMatchObject({ token: TOKEN, partner: PARTNER, isEnded: false });
  });

  it('are asked for anew after a gap', () => {
    const gap = writer.step({ actor: 'node', block: 1n }, [
      { kind: 'gap', first: 1, reason: 'slow' },
    ]);
    expect(applySteps(new Map(), [gap])).toBe(false);
  });
});
