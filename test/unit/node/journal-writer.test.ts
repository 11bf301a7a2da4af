import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../machines/effects.ts';
import { rowOf, type StoredState } from '../../../src/node/runtime/actors/kinds.ts';
import {
  createJournalWriter,
  type JournalStep,
  OUTSIDE,
} from '../../../src/node/runtime/commits/journal-writer.ts';
import { AT_REST, openChannel } from '../../support/channel-makers.ts';
import { CHANNEL } from '../../support/makers.ts';

const STATE: StoredState = {
  kind: 'channel',
  value: AT_REST,
  context: openChannel().snapshot.context,
};
const BOUND = { cause: 'node', causedBy: 0 };

function keeper(limit = 100_000) {
  return createJournalWriter({ limit, now: () => 7 });
}

/** An ordinary step that changes the channel. */
function stepOf(parts: Partial<JournalStep> = {}): JournalStep {
  const event = { type: 'msg.sync' };
  const did = { changed: true, effects: [] };
  return { actor: CHANNEL, event, block: 5n, before: STATE, after: STATE, ...did, ...parts };
}

const idle = (parts: Partial<JournalStep> = {}) => stepOf({ changed: false, ...parts });
const kindsOf = (journal: ReturnType<typeof keeper>) => journal.take().map(({ kind }) => kind);
const times = (count: number, work: () => unknown) => Array.from({ length: count }, work);

/** A channel that was spawned in this process, with nothing waiting. */
function spawned(limit?: number) {
  const journal = keeper(limit);
  journal.spawn(CHANNEL, { id: CHANNEL }, STATE, 5n, OUTSIDE);
  journal.take();
  return journal;
}

describe('the journal of a process', () => {
  it('tells of a life with its causes', () => {
    const journal = keeper();
    const spawn = journal.spawn(CHANNEL, { id: CHANNEL, deposit: 5n }, STATE, 5n, OUTSIDE);
    const place = journal.step(stepOf(), { cause: CHANNEL, causedBy: spawn });
    journal.stop(CHANNEL, STATE, 6n, { cause: CHANNEL, causedBy: place });
    const facts = {
      actor: CHANNEL,
      state: 'opened.deposit.idle+withdraw.idle',
      version: 1,
      time: 7,
    };
    const input = `{"id":"${CHANNEL}","deposit":{"$bigint":"5"}}`;
    expect(journal.take()).toEqual([
      { ...facts, ...OUTSIDE, kind: 'spawn', event: input, block: 5n },
      {
        ...facts,
        kind: 'event',
        cause: CHANNEL,
        causedBy: 0,
        event: '{"type":"msg.sync"}',
        block: 5n,
      },
      { ...facts, kind: 'stop', cause: CHANNEL, causedBy: 1, event: '', block: 6n },
    ]);
    expect(journal.take()).toEqual([]);
  });

  it('has the whole state before the first step of an actor that was there before', () => {
    const journal = keeper();
    expect(journal.step(stepOf(), OUTSIDE)).toBe(1);
    journal.step(stepOf(), OUTSIDE);
    const rows = journal.take();
    expect(rows.map(({ kind }) => kind)).toEqual(['keyframe', 'event', 'event']);
    expect(rows[0]?.event).toBe(rowOf(CHANNEL, STATE).state);
  });

  it('has the whole state again after 200 steps of an actor', () => {
    const journal = spawned();
    times(401, () => journal.step(stepOf(), OUTSIDE));
    const kinds = kindsOf(journal);
    const places = kinds.flatMap((kind, index) => (kind === 'keyframe' ? [index] : []));
    expect(places).toEqual([200, 401]);
  });

  it('has the whole state again when the last one may soon be dropped', () => {
    const journal = spawned(20);
    const other = CHANNEL.replace(/1$/, '2');
    times(7, () => journal.step(stepOf({ actor: other }), OUTSIDE));
    journal.step(stepOf(), OUTSIDE);
    expect(kindsOf(journal).filter((kind) => kind === 'keyframe')).toHaveLength(1);
    journal.step(stepOf(), OUTSIDE);
    expect(kindsOf(journal)).toEqual(['keyframe', 'event']);
  });

  it('has it again in time also for an actor that came while other rows waited', () => {
    const journal = keeper(20);
    const other = CHANNEL.replace(/1$/, '2');
    times(3, () => journal.step(stepOf({ actor: other }), OUTSIDE));
    const spawn = journal.spawn(CHANNEL, { id: CHANNEL }, STATE, 5n, OUTSIDE);
    times(10, () => journal.step(stepOf(), OUTSIDE));
    const kinds = kindsOf(journal).slice(spawn);
    expect(kinds).toEqual(['spawn', ...Array(9).fill('event'), 'keyframe', 'event']);
  });

  it('begins anew with an actor that has the id of one that ended', () => {
    const journal = spawned();
    journal.stop(CHANNEL, STATE, 5n, OUTSIDE);
    journal.step(stepOf(), OUTSIDE);
    expect(kindsOf(journal)).toEqual(['stop', 'keyframe', 'event']);
  });
});

describe('a step that changed nothing', () => {
  it.each([
    ['a command', 'cmd.close', OUTSIDE, []],
    ['a message of the partner', 'msg.sync', OUTSIDE, []],
    ['a word of another actor', 'actor.unlock', BOUND, []],
    ['an event that had an answer', 'chain.tx', OUTSIDE, ['reply.ok']],
    ['a block that led to something', 'chain.block', OUTSIDE, ['tx.close']],
  ] as const)('is written when it is %s', (_, type, told, effects) => {
    const journal = spawned();
    journal.step(idle({ event: { type }, effects }), told);
    expect(kindsOf(journal)).toEqual(['event']);
  });

  it.each(['chain.block', 'chain.channelDeposit', 'actor.resynchronise'])(
    'is not written when it is a %s that came to nothing',
    (type) => {
      const journal = spawned();
      expect(journal.step(idle({ event: { type } }), OUTSIDE)).toBeNull();
      expect(journal.size()).toBe(0);
    },
  );

  it('is written 20 times for each actor until the next block', () => {
    const journal = spawned();
    const repeated = (parts: Partial<JournalStep> = {}) => {
      times(30, () =>
        journal.step(idle({ effects: ['send.processed', 'notify'], ...parts }), OUTSIDE),
      );
      return kindsOf(journal).filter((kind) => kind === 'event').length;
    };
    expect(repeated()).toBe(20);
    expect(repeated({ actor: `${CHANNEL}2` })).toBe(20);
    expect(repeated()).toBe(0);
    expect(repeated({ block: 6n })).toBe(20);
  });

  it('is written only when its event is short, for anybody may send long ones', () => {
    const journal = spawned();
    const event = (length: number) => ({ type: 'msg.sync', text: 'x'.repeat(length) });
    expect(journal.step(idle({ event: event(5_000) }), OUTSIDE)).toBeNull();
    expect(journal.step(idle({ event: event(3_000) }), OUTSIDE)).toBe(0);
    expect(journal.step(stepOf({ event: event(5_000) }), OUTSIDE)).toBe(1);
  });

  it('is written 20 times too when its message was refused', () => {
    const journal = spawned();
    times(30, () => journal.step(idle({ effects: ['report.refused'] }), OUTSIDE));
    expect(kindsOf(journal).filter((kind) => kind === 'event')).toHaveLength(20);
  });

  it('is written 100 times for all actors together', () => {
    const journal = spawned();
    for (let n = 0; n < 60; n++)
      times(20, () => journal.step(idle({ actor: `${CHANNEL}${n}` }), OUTSIDE));
    expect(kindsOf(journal).filter((kind) => kind === 'event')).toHaveLength(100);
  });

  it.each(['spawn.target', 'tx.close', 'send.message', 'record.alert'] satisfies Effect['type'][])(
    'is written without a limit when %s came of it',
    (effect) => {
      const journal = spawned();
      times(30, () => journal.step(idle({ effects: [effect] }), OUTSIDE));
      expect(journal.size()).toBe(30);
    },
  );
});
