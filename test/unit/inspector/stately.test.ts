import { describe, expect, it } from 'vitest';
import { createStately } from '../../../src/inspector/stately.ts';
import type { ActorView, InspectionRecord, Patch } from '../../../src/inspector/wire.ts';
import { CHANNEL } from '../../support/makers.ts';

const at = (seq: number, actor = CHANNEL) =>
  ({ seq, part: 0, actor, cause: { from: 'outside' }, block: 1n, time: 0 }) as const;
const STATE = 'opened.deposit.idle+withdraw.idle';

function moved(seq: number, patch: Patch): InspectionRecord[] {
  const way = { from: STATE, to: STATE, edges: [], deadlineBlock: null, balances: null };
  return [{ ...at(seq), kind: 'transition', ...way, patch }];
}
const removed: Patch = [{ op: 'remove', path: '/jobs/0' }];
const added: Patch = [{ op: 'add', path: '/jobs/0', value: 'close' }];

/** The channel at step 5, with this context. */
function present(context: unknown): ActorView {
  const facts = {
    initiator: null,
    target: null,
    balances: null,
    token: null,
    partner: null,
    paymentId: null,
    amount: null,
  };
  const row = { actor: CHANNEL, machine: 'channel', state: STATE, deadlineBlock: null } as const;
  return {
    block: 1n,
    seq: 5,
    version: '1',
    row: { ...row, ...facts, isEnded: false, endTime: null },
    context,
    next: [],
    deadlines: [],
    money: null,
  };
}
const contexts = (events: ReturnType<ReturnType<typeof createStately>['step']>) =>
  events.map((event) => 'snapshot' in event && event.snapshot.context);

describe('a client of @statelyai/inspect', () => {
  it('gets no step again that the presented state of an actor already includes', () => {
    const stately = createStately();
    stately.present(present({ jobs: [] }));
    expect(stately.step(moved(5, removed))).toEqual([]);
    expect(contexts(stately.step(moved(6, added)))).toEqual([{ jobs: ['close'] }]);
  });

  it('gets no context of an actor any more after steps that it has missed', () => {
    for (const actor of ['', CHANNEL]) {
      const stately = createStately();
      stately.present(present({ jobs: [] }));
      stately.step([{ ...at(9, actor), kind: 'gap', first: 6, reason: 'slow' }]);
      expect(contexts(stately.step(moved(10, removed)))).toEqual([undefined]);
    }
  });

  it('gets no context after a change that does not fit, but goes on getting the steps', () => {
    const stately = createStately();
    stately.present(present({ jobs: [] }));
    expect(contexts(stately.step(moved(6, removed)))).toEqual([undefined]);
    expect(contexts(stately.step(moved(7, added)))).toEqual([undefined]);
  });
});
