/** How the threads of one run share its nodes, and keep together in time. */
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createAbroad, type Letter, parcelsIn } from '../../src/simulation/parts/abroad.ts';
import { divide } from '../../src/simulation/parts/division.ts';
import { createGate, type Word } from '../../src/simulation/parts/gate.ts';
import {
  breakWithThread,
  createMeeting,
  meetingMemory,
} from '../../src/simulation/parts/meeting.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';

const WINDOW_MS = 5;
const NEVER = Number.POSITIVE_INFINITY;
const NOBODY = `0x${'00'.repeat(20)}` as const;
const ALICE = `0x${'0a'.repeat(20)}` as const;
const BOB = `0x${'0b'.repeat(20)}` as const;

const silence = (): Letter => ({
  ...{ sent: [], listening: [], submitted: [] },
  payloads: new Uint8Array(0),
});

/** The gate of one of two parts, which has something to do at `nextMs`; `says`: what the other says, meeting by meeting. */
function gateOf(nextMs: number | null, says: readonly globalThis.Partial<Word>[]) {
  const words = [...says];
  const delivered: Letter[] = [];
  const gate = createGate({
    own: 0,
    windowMs: WINDOW_MS,
    scheduler: { next: () => nextMs },
    take: silence,
    deliver: (letters) => void delivered.push(...letters.map(({ letter }) => letter)),
    meeting: {
      exchange() {
        const said = words.shift();
        if (said === undefined) throw new Error('the other part is not there');
        const usual = { nextMs: NEVER, dueMs: NEVER, letter: silence() };
        return [{ from: 1, given: { ...usual, isTrue: true, hasLeft: false, ...said } }];
      },
    },
  });
  return { gate, delivered, left: () => words.length };
}

describe('the parts of a run', () => {
  it('have about as many ends of channels each, and the same nodes each time', () => {
    const degrees = [9, 5, 4, 1, 1, 1, 1];
    const nodes = degrees.map((degree, index) => ({ index, degree }));
    const partOf = divide(nodes, 2);
    const loads = [0, 1].map((part) =>
      nodes.reduce((sum, { index, degree }) => sum + (partOf[index] === part ? degree : 0), 0),
    );
    expect(Math.abs((loads[0] ?? 0) - (loads[1] ?? 0))).toBeLessThanOrEqual(1);
    expect(divide(nodes, 2)).toEqual(partOf);
    expect(divide(nodes, 1)).toEqual(degrees.map(() => 0));
  });

  it('go on for a window after the first of them has something to do, and then meet again', () => {
    const { gate, left } = gateOf(100, [{ nextMs: 98 }, { nextMs: 110 }]);
    expect(gate.mayReach(100)).toBe(false);
    expect(gate.mayReach(102)).toBe(true);
    expect([gate.mayReach(103), left()]).toEqual([false, 0]);
    expect(gate.mayReach(104)).toBe(true);
  });

  it('wait for what is on its way to any of them', () => {
    const { gate } = gateOf(null, [{ dueMs: 40 }, {}]);
    expect(gate.mayReach(50)).toBe(false);
    expect([gate.mayReach(44.5), gate.mayReach(45)]).toEqual([true, false]);
  });

  it('ask each other, and agree when all say so', () => {
    const { gate } = gateOf(null, [{ isTrue: false }, {}]);
    expect([gate.isTrueForAll(true), gate.isTrueForAll(true)]).toEqual([false, true]);
  });

  it('end together, and wait for nobody then', () => {
    const { gate } = gateOf(7, [{ hasLeft: true, letter: null }]);
    expect([gate.mayReach(7), gate.isOver(), gate.mayReach(1_000)]).toEqual([false, true, true]);
    gate.leave();
  });
});

describe('a thread of a run', () => {
  it('that ends by an error that nobody has caught lets none of the others wait', () => {
    const memory = meetingMemory(2);
    breakWithThread(memory, { once: (_, listener) => listener(1) });
    const { port1: port } = new MessageChannel();
    const meeting = createMeeting({ index: 0, ports: [{ to: 1, port }], memory });
    expect(() => meeting.exchange('here')).toThrow('another part of the simulation has failed');
    port.close();
  });
});

describe('what leaves a part of a run', () => {
  it('comes no sooner than a window later, with all its bytes', () => {
    const abroad = createAbroad({ windowMs: WINDOW_MS, now: () => 100, isAbroad: () => true });
    const parcel = { from: ALICE, to: BOB, topic: null };
    abroad.send({ ...parcel, payload: Uint8Array.of(1, 2) }, 101);
    abroad.send({ ...parcel, to: NOBODY, topic: 'hello', payload: Uint8Array.of(3) }, 140);
    abroad.submit('0x02');
    const letter = abroad.take();
    expect([...parcelsIn(letter)]).toEqual([
      { from: ALICE, to: BOB, topic: null, atMs: 105, payload: Uint8Array.of(1, 2) },
      { from: ALICE, to: null, topic: 'hello', atMs: 140, payload: Uint8Array.of(3) },
    ]);
    // A block is mined at a whole millisecond: whether the transaction came before it is the same in all parts.
    expect(letter.submitted).toEqual([{ raw: '0x02', atMs: 105.5 }]);
    expect(abroad.take()).toEqual(silence());
  });
});

describe('a scenario in parts', () => {
  const problemsWith = (more: string) => {
    const text = `
version: 1
title: Parts
description: Two threads.
network: { topology: { kind: line, nodes: 4 } }
run: { parts: 2 }
${more}`;
    const parsed = parseScenario(text, 'parts');
    return parsed.ok ? [] : parsed.problems.map(({ path, text }) => `${path} ${text}`);
  };
  const SHARED = 'services: { path_finding: { kind: shared } }';

  it('has payments, and nothing that all parts would have to know at once', () => {
    expect(problemsWith(SHARED)).toEqual([]);
    expect(problemsWith('')).toEqual([
      'run.parts must be 1 in a run with any path_finding other than shared',
    ]);
    expect(
      problemsWith(`${SHARED}
faults: [{ kind: broker_down, when: { at_block: 3, blocks: 2 } }]
steps: [{ do: stop, nodes: all, at_block: 3 }]
nodes: [{ nodes: "1", behaviour: silent }, { nodes: "2", standby: {} }]
chain: { reorganisations: { rate: 0.1, depth: { least: 1, most: 1 } } }`),
    ).toEqual(
      ['faults', 'dishonest nodes', 'steps', 'standbys', 'reorganisations'].map(
        (what) => `run.parts must be 1 in a run with ${what}`,
      ),
    );
  });
});
