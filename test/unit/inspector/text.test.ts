import { describe, expect, it } from 'vitest';
import { listedActor } from '../../../src/inspector/actor-list.ts';
import { moneyOf } from '../../../src/inspector/base/money.ts';
import { machineDefinition } from '../../../src/inspector/charts/definitions.ts';
import { findActor } from '../../../src/inspector/find-actor.ts';
import { shortId } from '../../../src/inspector/texts/short-id.ts';
import { actorLines, treeLines } from '../../../src/inspector/texts/text-actor.ts';
import { actorListLines } from '../../../src/inspector/texts/text-actor-list.ts';
import { PLAIN, valueText } from '../../../src/inspector/texts/text-parts.ts';
import { guardLine, patchText, stepLines } from '../../../src/inspector/texts/text-steps.ts';
import type { ActorView, InspectionRecord, ListedActor } from '../../../src/inspector/wire.ts';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { addLock, openChannel } from '../../support/channel-makers.ts';
import { CHANNEL, hashOf } from '../../support/makers.ts';

const INITIATOR = `initiator:${hashOf(1)}`;

function row(actor: string, parts: Partial<ListedActor> = {}): ListedActor {
  return {
    actor,
    machine: 'channel',
    state: 'opened',
    token: null,
    partner: null,
    initiator: null,
    target: null,
    balances: null,
    paymentId: null,
    amount: null,
    deadlineBlock: null,
    isEnded: false,
    endTime: null,
    ...parts,
  };
}

const place = {
  seq: 9,
  part: 0,
  actor: CHANNEL,
  cause: { from: 'outside' },
  block: 104n,
  time: Date.UTC(2026, 0, 2, 12, 30, 1),
} as const;
const event: InspectionRecord = { ...place, kind: 'event', event: { type: 'actor.addLock' } };
const moved: InspectionRecord = {
  ...place,
  kind: 'transition',
  from: 'opened',
  to: 'closing',
  edges: ['opened|actor.addLock|0'],
  patch: [
    { op: 'replace', path: '/ownEnd/locked', value: 2n ** 200n },
    { op: 'add', path: '/registered/0', value: '0xab' },
    { op: 'remove', path: '/withdraw' },
  ],
  deadlineBlock: null,
  balances: null,
};

describe('the text of values', () => {
  it('has every digit of a number, also inside of others', () => {
    expect(valueText(2n ** 200n)).toBe(`${2n ** 200n}`);
    expect(valueText({ lock: { amount: 5n }, list: [1n, null] })).toBe(
      '{"lock":{"amount":5},"list":[1,null]}',
    );
    expect(valueText(undefined)).toBe('nothing');
  });

  it('cuts long hashes and leaves short numbers', () => {
    expect(shortId(`target:0x${'ab'.repeat(32)}`)).toBe('target:0xabab…abab');
    expect(shortId('withdrawal:12 0x1234')).toBe('withdrawal:12 0x1234');
  });
});

describe('the list of actors as text', () => {
  it('is grouped by machine and state, the nearest deadline first', () => {
    const actors = [
      row('channel:x:1'),
      row('channel:x:2', { deadlineBlock: 120n }),
      row('channel:x:3', { deadlineBlock: 97n }),
      row('target:x', { machine: 'target', state: 'revealed', deadlineBlock: 95n, amount: 7n }),
    ];
    expect(actorListLines({ hasMore: false, block: 100n, seq: 5, actors }, PLAIN)).toEqual([
      'Block #100, step 5: 4 actors',
      '',
      'target · revealed (1)',
      '  #95 5 ago  target:x      amount 7',
      '',
      'channel · opened (3)',
      '  #97 3 ago   channel:x:3',
      '  #120 in 20  channel:x:2',
      '  -           channel:x:1',
    ]);
  });
});

describe('a step as text', () => {
  const [head, ...details] = stepLines([event, moved], PLAIN, true);

  it('is one line with block, time, actor, event and states', () => {
    const line = `#104 12:30:01 ${shortId(CHANNEL)} actor.addLock: opened → closing`;
    expect(stepLines([event, moved], PLAIN, false)).toEqual([line]);
    expect(head).toBe(line);
  });

  it('says what of the context changed, exactly', () => {
    expect(details).toEqual([
      `    ~ ownEnd.locked = ${2n ** 200n}`,
      '    + registered.0 = "0xab"',
      '    - withdraw',
    ]);
    expect(patchText({ op: 'replace', path: '/a~1b/~0c', value: null })).toBe('~ a/b.~c = null');
  });

  it('says who told it, and in which step', () => {
    const told = { ...event, cause: { from: 'actor', actor: INITIATOR, seq: 8 } } as const;
    expect(stepLines([told, moved], PLAIN, false)[0]).toContain(
      ` from ${shortId(INITIATOR)} (step 8)`,
    );
  });

  it('says what the guards of a refused event looked at', () => {
    const guard: Extract<InspectionRecord, { kind: 'guard' }> = {
      ...place,
      kind: 'guard',
      guard: 'canLock',
      params: null,
      transition: 'opened|actor.addLock|0',
      isOpen: false,
      reads: [
        { path: 'context.ownEnd.deposit', value: 40n },
        { path: 'event.amount', value: 50n },
      ],
    };
    const text = 'canLock: closed, context.ownEnd.deposit = 40, event.amount = 50';
    expect(guardLine(guard)).toBe(text);
    const stayed = { ...moved, to: 'opened', edges: [], patch: [] };
    const lines = stepLines([event, guard, stayed], PLAIN, true);
    expect(lines[0]).toContain('actor.addLock: opened, not taken');
    expect(lines[1]).toBe(`    ${text}`);
    const eventless = { ...guard, transition: 'opened.deposit.idle||0' };
    expect(stepLines([event, eventless, stayed], PLAIN, true)).toHaveLength(1);
  });

  it('says why a partner’s message was refused', () => {
    const told = { ...event, event: { type: 'msg.unlock' } };
    const stayed = { ...moved, to: 'opened', patch: [] };
    const effect = { type: 'report.refused', reason: 'no lock for this secret' };
    const refused: InspectionRecord = { ...place, kind: 'effect', effect };
    const [line, ...details] = stepLines([told, stayed, refused], PLAIN, true);
    expect(line).toContain('msg.unlock: opened, refused: no lock for this secret');
    expect(details).toEqual(['    > refused: no lock for this secret']);
  });

  it('tells spawns, ends and gaps, and nothing of a commit', () => {
    const spawn = {
      ...place,
      kind: 'spawn',
      machine: 'channel',
      version: '',
      input: null,
    } as const;
    const spawned = { ...spawn, state: 'opened', context: {}, isRestored: false };
    const text = (record: InspectionRecord) => stepLines([record], PLAIN, true).join('\n');
    expect(text(spawned)).toMatch(/ begins: opened$/);
    expect(text({ ...place, kind: 'stop', state: 'gone' })).toMatch(/ ends: gone$/);
    expect(text({ ...place, kind: 'gap', first: 3, reason: 'old' })).toContain('steps 3 to 9');
    expect(text({ ...place, kind: 'commit', commit: 1, first: 1 })).toBe('');
  });
});

describe('an actor as text', () => {
  const { snapshot } = openChannel().tell(addLock());
  const shown = listedActor(CHANNEL, stateFrom(CHANNEL, snapshot));
  const chart = machineDefinition('channel');
  const view: ActorView = {
    block: 100n,
    seq: 5,
    row: shown,
    version: chart.version,
    context: {},
    next: ['cmd.close'],
    deadlines: [],
    money: moneyOf(snapshot.context, true),
  };

  it('has its chart with the active states marked, in all regions', () => {
    const lines = treeLines(chart.root, shown.state, PLAIN);
    expect(lines.slice(0, 9)).toEqual([
      '  ● opened',
      '    ● deposit',
      '      ● idle',
      '      ○ depositing',
      '    ● withdraw',
      '      ● idle',
      '      ○ pending',
      '        ○ asking',
      '        ○ withdrawing',
    ]);
    expect(lines.filter((line) => line.includes('●'))).toHaveLength(5);
  });

  it('has the money of both sides and whether it is conserved', () => {
    const lines = actorLines(view, chart, PLAIN);
    const cells = lines.map((line) => line.trim().split(/ {2,}/));
    expect(cells).toContainEqual(['balance', '100', '100']);
    expect(cells).toContainEqual(['can pay', '90', '100']);
    expect(lines.some((line) => line.startsWith('  conserved'))).toBe(true);
    expect(lines.at(-1)).toBe('  cmd.close');
  });

  it('says so when the node runs another version of the chart', () => {
    expect(actorLines(view, null, PLAIN).join('\n')).toContain('another version of this chart');
  });
});

describe('the actor that a person means', () => {
  const rows = [
    row('channel:0xAbcd:1'),
    row('channel:0xabcd:12'),
    row(INITIATOR, { paymentId: 77n }),
    row('target:0x9', { paymentId: 77n, isEnded: true }),
  ];
  const found = (given: string) => {
    const answer = findActor(rows, given);
    return answer.ok ? answer.actor : answer.candidates;
  };

  it('is found by its id in any case, its beginning, its short form, or its payment', () => {
    expect(found('channel:0xabcd:1')).toBe('channel:0xAbcd:1');
    expect(found('init')).toBe(INITIATOR);
    expect(found(shortId(INITIATOR))).toBe(INITIATOR);
    expect(found('channel:0xa…:12')).toBe('channel:0xabcd:12');
  });

  it('is the living one where another has ended', () => {
    expect(found('77')).toBe(INITIATOR);
    expect(found('target')).toBe('target:0x9');
  });

  it('is not guessed: several, or those that are alike, are named', () => {
    expect(found('channel:')).toEqual(['channel:0xAbcd:1', 'channel:0xabcd:12']);
    expect(found('abcd:12')).toEqual(['channel:0xabcd:12']);
    expect(found('tarmac')).toEqual(['target:0x9']);
    expect(found('?')).toEqual([]);
    const several = ['channel:', 'tarmac'].map((given) => findActor(rows, given));
    expect(several).toMatchObject([{ doSeveralFit: true }, { doSeveralFit: false }]);
  });
});
