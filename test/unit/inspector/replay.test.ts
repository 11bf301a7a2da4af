import { describe, expect, it } from 'vitest';
import { stateText } from '../../../machines/tags.ts';
import { applyPatch } from '../../../src/inspector/replay/patch.ts';
import { createReplayer } from '../../../src/inspector/replay/replay.ts';
import type { InspectionRecord, StepRecords } from '../../../src/inspector/wire.ts';
import type { JournalStep } from '../../../src/node/api/inspection.ts';

import { encode } from '../../../src/store/base/codec.ts';
import { addLock, openChannel, unlock } from '../../support/channel-makers.ts';
import { journalOf, liveJournal } from '../../support/journal-makers.ts';
import { CHANNEL, deposited, hashOf, NOW, OWN, PARTNER } from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';

type RecordOf<K extends InspectionRecord['kind']> = Extract<InspectionRecord, { kind: K }>;

/** The only record of its kind in a step. */
function only<K extends InspectionRecord['kind']>(records: StepRecords, kind: K): RecordOf<K> {
  const found = records.filter((record): record is RecordOf<K> => record.kind === kind);
  if (found[0] === undefined || found.length > 1) throw new Error(`not exactly one ${kind}`);
  return found[0];
}

const kindsOf = (records: StepRecords) => records.map(({ kind }) => kind);

/** A channel with 100 on each side that locked 10 of its own. */
function withLock() {
  const live = liveJournal();
  live.spawn(CHANNEL, openChannel().snapshot.context);
  live.tell(CHANNEL, deposited(OWN, 100n), deposited(PARTNER, 100n), addLock());
  return live;
}

/** A channel whose last keyframe is in the middle of its steps. */
function withKeyframe() {
  const live = withLock();
  live.keyframe(CHANNEL);
  live.tell(CHANNEL, unlock());
  return live;
}

function replayerOf({ steps }: { steps: readonly JournalStep[] }) {
  return createReplayer(journalOf(steps));
}

describe('the replay of a journal', () => {
  it('tells the spawn of an actor with what it was given and what it is', () => {
    const live = withLock();
    const [spawned] = live.steps;
    const records = spawned === undefined ? [] : replayerOf(live).records(spawned);
    expect(only(records, 'spawn')).toMatchObject({
      seq: 1,
      part: 0,
      actor: CHANNEL,
      cause: { from: 'outside' },
      machine: 'channel',
      state: 'opened.deposit.idle+withdraw.idle',
      context: { ownEnd: { deposit: 0n } },
      isRestored: false,
    });
  });

  it('tells the event, the guards, the way that was taken, the change and the effects', () => {
    const live = withLock();
    const [step] = live.tell(CHANNEL, unlock());
    const records = step === undefined ? [] : replayerOf(live).records(step);
    expect(only(records, 'event').event).toMatchObject({ type: 'actor.unlock', paymentId: 1n });
    expect(only(records, 'transition')).toMatchObject({
      from: 'opened.deposit.idle+withdraw.idle',
      to: 'opened.deposit.idle+withdraw.idle',
      edges: ['opened|actor.unlock|0'],
      patch: [
        { op: 'replace', path: '/ownEnd/transferred', value: 10n },
        { op: 'replace', path: '/ownEnd/locked', value: 0n },
        { op: 'remove', path: '/ownEnd/locks/0' },
        { op: 'add', path: '/unsigned/changes/1', value: { change: { type: 'unlock' } } },
      ],
    });
    const effects = records.filter((record) => record.kind === 'effect');
    expect(effects.map(({ effect }) => effect.type)).toEqual(
      live.effects.map(({ effect }) => effect.type),
    );
    expect(records.map(({ part }) => part)).toEqual(records.map((_, n) => n));
  });

  it('tells which values kept a command from being carried out', () => {
    const live = withLock();
    const [step] = live.tell(CHANNEL, command.deposit(50n));
    const records = step === undefined ? [] : replayerOf(live).records(step);
    const refusing = records.flatMap((record) =>
      record.kind === 'guard' && record.guard === 'canDeposit' ? [record] : [],
    );
    expect(refusing).toMatchObject([
      { isOpen: false, transition: 'opened.deposit.idle|cmd.deposit|1' },
    ]);
    expect(refusing[0]?.reads).toContainEqual({ path: 'context.ownEnd.deposit', value: 100n });
    expect(refusing[0]?.reads).toContainEqual({ path: 'event.totalDeposit', value: 50n });
    expect(only(records, 'transition')).toMatchObject({
      edges: ['opened.deposit.idle|cmd.deposit|2'],
      patch: [],
    });
  });

  it('leads from step to step to what the actor was', () => {
    const live = withKeyframe();
    live.tell(CHANNEL, command.deposit(150n), addLock({ n: 2 }), command.close());
    const replayer = replayerOf(live);
    let context: unknown = null;
    for (const step of live.steps) {
      for (const record of replayer.records(step)) {
        if (record.kind === 'spawn') context = record.context;
        if (record.kind === 'transition') context = applyPatch(context, record.patch);
      }
    }
    expect(context).toEqual(live.stateOf(CHANNEL).context);
  });

  it('shows nothing for a keyframe that equals the replayed state', () => {
    const live = withKeyframe();
    const replayer = replayerOf(live);
    const kinds = live.steps.map((step) => kindsOf(replayer.records(step)));
    expect(kinds.flat()).not.toContain('gap');
    expect(kinds[4]).toEqual([]);
  });

  it('finds what an actor was before any step', () => {
    const live = withKeyframe();
    const replayer = replayerOf(live);
    expect(replayer.stateBefore(CHANNEL, 7)).toMatchObject({
      seq: 6,
      context: { ownEnd: { transferred: 10n, locked: 0n } },
    });
    expect(replayer.stateBefore(CHANNEL, 4)).toMatchObject({
      seq: 3,
      context: { ownEnd: { deposit: 100n, locked: 0n } },
    });
    expect(replayer.stateBefore(CHANNEL, 1)).toBeNull();
    expect(replayer.stateBefore(`target:${hashOf(1)}`, 7)).toBeNull();
  });

  it('tells the same of a step whichever steps it was given before', () => {
    const live = withKeyframe();
    live.tell(CHANNEL, command.deposit(150n), addLock({ n: 2 }));
    const inOrder = replayerOf(live);
    const whole = live.steps.map((step) => inOrder.records(step));
    const atRandom = replayerOf(live);
    for (const n of [7, 2, 5, 6, 3, 3, 7, 1, 0, 7]) {
      const step = live.steps[n];
      expect(step && atRandom.records(step)).toEqual(whole[n]);
    }
  });

  it('shows the same steps when it may keep one actor only', () => {
    const live = withLock();
    live.spawn('channel:other:2', openChannel().snapshot.context);
    live.tell(CHANNEL, unlock());
    live.tell('channel:other:2', deposited(OWN, 5n));
    const small = createReplayer(journalOf(live.steps), 1);
    const large = replayerOf(live);
    for (const step of live.steps) expect(small.records(step)).toEqual(large.records(step));
  });

  it('shows gaps from the step where the stored state differs from the replayed one, until a keyframe', () => {
    const live = withKeyframe();
    live.tell(CHANNEL, command.deposit(150n));
    const steps = live.steps.map((step) => (step.seq === 3 ? { ...step, state: 'gone' } : step));
    const replayer = createReplayer(journalOf(steps));
    const told = steps.map((step) => replayer.records(step));
    expect(told.map((records) => kindsOf(records).includes('gap'))).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(told[2] && only(told[2], 'gap')).toMatchObject({ first: 3, seq: 3, reason: 'other' });
    expect(told[2] && only(told[2], 'transition')).toMatchObject({ to: 'gone', patch: [] });
    expect(told[4] && only(told[4], 'spawn')).toMatchObject({ isRestored: true });
  });

  it('goes on from a keyframe that differs from the replayed state', () => {
    const live = withKeyframe();
    const { value, context } = live.stateOf(CHANNEL);
    const other = encode({ value, context: { ...context, jobs: 99 } });
    const steps = live.steps.map((step) =>
      step.kind === 'keyframe' ? { ...step, event: other } : step,
    );
    const replayer = createReplayer(journalOf(steps));
    const told = steps.map((step) => replayer.records(step));
    expect(told[4] && kindsOf(told[4])).toEqual(['gap', 'spawn']);
    expect(replayer.stateBefore(CHANNEL, 7)).toMatchObject({ context: { jobs: 99 } });
  });

  it('tells only the event and the state where the journal has no beginning of the actor', () => {
    const { steps } = withLock();
    const replayer = createReplayer(journalOf(steps.slice(1)));
    const records = steps[1] === undefined ? [] : replayer.records(steps[1]);
    expect(kindsOf(records)).toEqual(['event', 'transition', 'gap']);
    expect(only(records, 'transition')).toMatchObject({ from: '', edges: [], patch: [] });
    expect(only(records, 'gap')).toMatchObject({ reason: 'old' });
  });

  it('never throws, whatever stands in a step', () => {
    const { steps, stateOf } = withLock();
    const state = stateText(stateOf(CHANNEL).value);
    const bad: Partial<JournalStep>[] = [
      { event: 'no text of the codec' },
      { event: encode(null) },
      { event: encode({ type: 'msg.update', sender: PARTNER }) },
      { event: encode({ type: '*' }) },
      { kind: 'spawn', event: encode(5n) },
      { kind: 'keyframe', event: encode({ value: 'nowhere', context: {} }) },
      { actor: 'nobody:1' },
      { version: 2 },
    ];
    for (const parts of bad) {
      const last = steps.at(-1);
      if (last === undefined) throw new Error('there is no step');
      const step = { ...last, seq: 5, block: NOW, state, ...parts };
      const records = createReplayer(journalOf([...steps, step])).records(step);
      expect(kindsOf(records), encode(parts)).toContain('gap');
    }
  });

  it('tells the end of an actor and knows it no more', () => {
    const live = withLock();
    const step = live.stop(CHANNEL);
    const replayer = replayerOf(live);
    const told = live.steps.map((one) => replayer.records(one));
    expect(told.at(-1)).toMatchObject([{ kind: 'stop', state: step.state }]);
    expect(replayer.stateBefore(CHANNEL, 6)).toBeNull();
  });
});
