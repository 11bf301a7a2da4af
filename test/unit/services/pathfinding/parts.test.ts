import { describe, expect, it, onTestFinished } from 'vitest';
import type { Address } from '../../../../src/basics/hex.ts';
import type { PresenceAnswer as Answer } from '../../../../src/partner/transport.ts';
import { openServiceDatabase } from '../../../../src/services/base/database.ts';
import { createFeedback } from '../../../../src/services/pathfinding/feedback.ts';
import { createNodePresence } from '../../../../src/services/pathfinding/presence.ts';
import {
  addressIn,
  checkedBy,
  jsonIn,
  pathsRequest,
} from '../../../../src/services/pathfinding/requests.ts';
import { ALICE, BOB, REGISTRY, STAMP, TOKEN } from '../../../support/store.ts';

/** Nodes whose answers the test decides, and rounds that it starts. */
function watched(answers: Map<Address, Answer>) {
  let tick = () => {};
  const presence = createNodePresence({
    ask: async (address) => answers.get(address) ?? 'unknown',
    every(_, work) {
      tick = work;
      return () => {};
    },
    roundMs: 1_000,
  });
  const round = async () => {
    tick();
    await new Promise(setImmediate);
  };
  return { presence, round };
}

describe('presence', () => {
  it('leaves out only nodes that are known not to answer', async () => {
    const answers = new Map<Address, Answer>([[ALICE, 'reachable']]);
    answers.set(BOB, 'unreachable');
    const { presence, round } = watched(answers);
    const nodes: Address[] = [ALICE, BOB, TOKEN];
    for (const address of nodes) presence.follow(address);
    await round();
    expect(nodes.map(presence.isUsable)).toEqual([true, false, true]);
    expect(presence.isUsable(REGISTRY)).toBe(true);
    expect(presence.online()).toEqual([ALICE]);
    expect(nodes.map(presence.uptimeOf)).toEqual([1, 0, 0]);
  });

  it('knows less of a node the more often it was away', async () => {
    const answers = new Map<Address, Answer>([[ALICE, 'reachable']]);
    const { presence, round } = watched(answers);
    presence.follow(ALICE);
    await round();
    answers.set(ALICE, 'unreachable');
    await round();
    expect(presence.uptimeOf(ALICE)).toBe(0);
    presence.heardFrom(ALICE);
    expect(presence.uptimeOf(ALICE)).toBeCloseTo(0.91);
    answers.set(ALICE, 'unknown');
    await round();
    expect(presence.isKnown(ALICE)).toBe(true);
  });

  it('asks once more before it says no', async () => {
    const answers = new Map<Address, Answer>([[ALICE, 'unreachable']]);
    const { presence, round } = watched(answers);
    presence.follow(ALICE);
    await round();
    expect(await presence.isUsableNow(ALICE)).toBe(false);
    answers.set(ALICE, 'reachable');
    expect(await presence.isUsableNow(ALICE)).toBe(true);
  });
});

/** On a database that another one can be opened on, with a clock of the test. */
function feedbackOn(mostTokens?: number) {
  const opened = openServiceDatabase(':memory:', { ...STAMP, service: 'pathfinding' });
  if (!opened.ok) throw new Error(opened.message);
  const { database } = opened;
  onTestFinished(database.close);
  const time = { now: 1_000 };
  let drawn = 0;
  const open = () =>
    createFeedback({
      database,
      write: async (work) => database.write(work),
      drawBytes: (count) => new Uint8Array(count).fill(++drawn),
      now: () => time.now,
      ...(mostTokens === undefined ? {} : { mostTokens }),
    });
  return { open, time };
}

describe('feedback', () => {
  const path = (...addresses: Address[]) => ({ path: addresses, estimatedFee: 1n });
  const direct = path(ALICE, BOB);
  const long = path(ALICE, REGISTRY, BOB);
  const MINUTE = 60_000;

  it('puts a way that failed behind the others for ten minutes, also after a restart', async () => {
    const { open, time } = feedbackOn();
    const feedback = open();
    const token = await feedback.issue(TOKEN, [direct, long]);
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    const failed = { token, path: direct.path, isGood: false };
    expect(await feedback.judge(TOKEN, failed)).toBe(true);
    expect(open().order(TOKEN, [direct, long])).toEqual([long, direct]);
    expect(feedback.order(REGISTRY, [direct, long])).toEqual([direct, long]);
    time.now += 10 * MINUTE;
    expect(feedback.order(TOKEN, [direct, long])).toEqual([direct, long]);
  });

  it('takes a failure back when the way did well', async () => {
    const { open } = feedbackOn();
    const feedback = open();
    const token = await feedback.issue(TOKEN, [direct, long]);
    for (const isGood of [false, true])
      await feedback.judge(TOKEN, { token, path: direct.path, isGood });
    expect(open().order(TOKEN, [direct, long])).toEqual([direct, long]);
    expect(feedback.hasFailures()).toBe(false);
  });

  it('is taken for the newest ways only when very many were given', async () => {
    const { open, time } = feedbackOn(2);
    const feedback = open();
    const tokens: string[] = [];
    for (let given = 0; given < 4; given++) {
      time.now += 1;
      tokens.push(await feedback.issue(TOKEN, [direct]));
    }
    await feedback.clean();
    const taken = await Promise.all(
      tokens.map((token) => feedback.judge(TOKEN, { token, path: direct.path, isGood: false })),
    );
    expect(taken).toEqual([false, false, true, true]);
  });

  it('is for ways that were given, under their token, for ten minutes', async () => {
    const { open, time } = feedbackOn();
    const feedback = open();
    const token = await feedback.issue(TOKEN, [direct]);
    const about = (given: { path: Address[] }, under = token) => ({
      token: under,
      path: given.path,
      isGood: false,
    });
    expect(await feedback.judge(TOKEN, about(long))).toBe(false);
    expect(await feedback.judge(REGISTRY, about(direct))).toBe(false);
    expect(await feedback.judge(TOKEN, about(direct, 'f'.repeat(32)))).toBe(false);
    time.now += 10 * MINUTE + 1;
    expect(await feedback.judge(TOKEN, about(direct))).toBe(false);
    await feedback.clean();
    expect(feedback.hasFailures()).toBe(false);
  });
});

describe('a request for paths', () => {
  const request = { from: ALICE, to: BOB.toLowerCase(), value: 7n };
  const read = (changes: Record<string, unknown>) =>
    checkedBy(pathsRequest, { ...request, ...changes });

  it('takes addresses in both forms and amounts at full precision, as integers or as text', () => {
    const huge = 2n ** 256n - 1n;
    expect(jsonIn(`{"value":${huge}}`)).toEqual({ value: huge });
    expect(read({ value: huge })).toMatchObject({
      ok: true,
      value: { from: ALICE, to: BOB, value: huge, maxPaths: 5, iou: null },
    });
    expect(read({ value: '12' })).toMatchObject({ ok: true, value: { value: 12n } });
  });

  it.each<[string, Record<string, unknown>]>([
    ['from', { from: ALICE.toUpperCase() }],
    ['to', { to: `${BOB.slice(0, -1)}0` }],
    ['value', { value: 0n }],
    ['value', { value: 1.5 }],
    ['value', { value: -1n }],
    ['value', { value: 2n ** 256n }],
    ['max_paths', { max_paths: 26n }],
    ['fee_penalty', { fee_penalty: -1n }],
  ])('names %s when it is wrong: %o', (field, changes) => {
    const found = read(changes);
    expect(found.ok ? [] : Object.keys(found.fields)).toEqual([field]);
  });

  it('recognises an address that was mistyped', () => {
    expect(addressIn(ALICE)).toBe(ALICE);
    expect(addressIn(ALICE.toLowerCase())).toBe(ALICE);
    expect(addressIn(ALICE.replace('F', 'f'))).toBeNull();
    expect(addressIn(undefined)).toBeNull();
  });
});
