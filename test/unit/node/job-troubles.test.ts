import { describe, expect, it } from 'vitest';
import type { Tx } from '../../../machines/effects.ts';
import type { QueueTrouble } from '../../../src/chain/queue/trouble.ts';
import { createJobTroubles } from '../../../src/node/chain/jobs/job-troubles.ts';

const NETWORK = '0x00000000000000000000000000000000000000aa';

/** The settlement of a channel; each try of it is a job of its own. */
function settlement(channel: string, key: string): Tx {
  return {
    type: 'tx.settle',
    from: channel,
    key,
    deadlineBlock: null,
    tokenNetwork: NETWORK,
    channelId: 1n,
    partner: NETWORK,
    channel,
    ownHash: null,
    partnerHash: null,
  };
}
const reverted = (job: string, detail = 'no'): QueueTrouble => ({ job, kind: 'reverted', detail });

function world() {
  const state = { now: 0, lines: [] as string[], asides: [] as string[], gone: new Set<string>() };
  const troubles = createJobTroubles({
    clock: { elapsed: () => state.now },
    log: {
      warn: (_fields, text) => void state.lines.push(text),
      info: (_fields, text) => void state.asides.push(text),
    },
    lives: (actor) => !state.gone.has(actor),
  });
  /** A try that the queue reports, and its end. */
  const fail = (channel: string, detail = 'no', key = `${channel}:${state.now}`) => {
    const tx = settlement(channel, key);
    troubles.note(reverted(key, detail), tx);
    troubles.ended(tx, detail);
    state.now += 1_000;
  };
  return { state, troubles, fail };
}

describe('a close', () => {
  const close: Tx = {
    type: 'tx.close',
    from: 'a',
    key: 'close of a',
    deadlineBlock: null,
    tokenNetwork: NETWORK,
    channelId: 1n,
    partner: NETWORK,
    proof: null,
  };
  const lost = (block: number): QueueTrouble => {
    return { job: close.key, kind: 'lost', detail: `mined without effect in block ${block}` };
  };
  const tooLate = reverted(close.key, 'execution reverted: TN/close: channel not open');

  it('that came after the close of the partner is no warning', () => {
    const { state, troubles } = world();
    troubles.note(lost(17), close);
    expect(state).toMatchObject({ lines: [], asides: [] });
    troubles.note(tooLate, close);
    troubles.ended(close, tooLate.detail);
    expect(state).toMatchObject({ lines: [], asides: ['close of a: it is closed already'] });
  });

  it('is one when it is refused so again, long after: the partner has not closed it', () => {
    const { state, troubles } = world();
    const again = { ...close, key: 'close of a, again' };
    troubles.note(tooLate, close);
    troubles.ended(close, tooLate.detail);
    state.now += 60_000;
    for (let tries = 0; tries < 2; tries++) troubles.note({ ...tooLate, job: again.key }, again);
    expect(state.lines).toEqual([`close of a: ${tooLate.detail}`]);
  });

  it('is one when it ends without effect, and is not looked at again', () => {
    const { state, troubles } = world();
    troubles.note(lost(17), close);
    troubles.ended(close, 'mined without effect');
    expect(state.lines).toEqual(['close of a: mined without effect']);
  });

  it('fills no log, whether it is one or not', () => {
    const { state, troubles } = world();
    for (let tries = 0; tries < 100; tries++) troubles.note(tooLate, close);
    expect(state.asides).toHaveLength(1);
  });

  it('that is without effect for another reason is one', () => {
    const { state, troubles } = world();
    troubles.note(lost(17), close);
    troubles.note(reverted(close.key, 'out of moonlight'), close);
    state.now += 120_000;
    troubles.note(lost(18), close);
    expect(state.asides).toEqual([]);
    expect(state.lines).toEqual([
      'close of a: out of moonlight',
      'close of a: mined without effect in block 18',
    ]);
  });
});

describe('a transaction that fails', () => {
  it('has a line for each reason, and the same one again only after ten minutes', () => {
    const { state, fail } = world();
    for (let times = 0; times < 100; times++) fail('a');
    expect(state.lines).toEqual(['settle of a: no']);
    fail('a', 'still no');
    expect(state.lines).toEqual(['settle of a: no', 'settle of a: still no']);
    state.now += 600_000;
    fail('a', 'still no');
    expect(state.lines).toHaveLength(3);
  });

  it('has its line beside others that fail for the same reason', () => {
    const { state, fail } = world();
    for (const channel of ['a', 'b', 'c']) fail(channel);
    expect(state.lines).toEqual(['settle of a: no', 'settle of b: no', 'settle of c: no']);
  });

  it('cannot fill the log, whatever the token says, and however many there are', () => {
    const { state, fail } = world();
    for (let second = 0; second < 120; second++) fail(`${second}`, `${second}`);
    for (let second = 0; second < 600; second++) fail('a', `reason ${second}`);
    expect(state.lines.filter((line) => line.startsWith('settle of a')).length).toBeLessThan(12);
    expect(state.lines.length).toBeLessThan(60);
  });

  it('is named after three failures in a row, until it succeeds', () => {
    const { troubles, fail } = world();
    fail('a');
    fail('a');
    expect(troubles.failing()).toEqual([]);
    fail('a', 'still no');
    fail('b');
    expect(troubles.failing()).toMatchObject([
      { what: 'settle of a', failures: 3, detail: 'still no' },
    ]);
    troubles.ended(settlement('a', 'last'), null);
    expect(troubles.failing()).toEqual([]);
  });

  it('counts, too, when it ended before it was tried', () => {
    const { troubles } = world();
    for (const key of ['1', '2', '3']) troubles.ended(settlement('a', key), 'no proof');
    expect(troubles.failing()).toMatchObject([{ failures: 3, detail: 'no proof' }]);
  });

  it('is forgotten with its actor, and when nobody has asked for it for an hour', () => {
    const { state, troubles, fail } = world();
    for (let times = 0; times < 3; times++) fail('a');
    state.gone.add('a');
    expect(troubles.failing()).toEqual([]);
    for (let times = 0; times < 3; times++) fail('b');
    state.now += 3_600_000;
    expect(troubles.failing()).toEqual([]);
  });

  it('that somebody has asked for is his to ask for again', () => {
    const { troubles } = world();
    const deposit: Tx = {
      type: 'tx.registerToken',
      from: 'tokenNetwork:a',
      key: 'k',
      deadlineBlock: null,
      token: NETWORK,
    };
    for (let times = 0; times < 5; times++) troubles.note(reverted('k'), deposit);
    expect(troubles.failing()).toMatchObject([{ failures: 5 }]);
    troubles.ended(deposit, 'no');
    expect(troubles.failing()).toEqual([]);
  });

  it('is nothing that counts when only the endpoint is away', () => {
    const { state, troubles } = world();
    const away: QueueTrouble = { job: null, kind: 'unavailable', detail: 'no line' };
    for (let times = 0; times < 5; times++) troubles.note(away, undefined);
    expect(state.lines).toEqual(['transactions have to wait: no line']);
    expect(troubles.failing()).toEqual([]);
  });
});
