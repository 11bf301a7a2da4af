/** Defects of the node that one rule alone finds: each is planted in the node, and the world of one seed is run with it. */
import { expect, it } from 'vitest';
import { mixScenario } from '../../src/simulation/run/mix.ts';
import type * as Simulation from '../../src/simulation/run/simulate.ts';
import {
  close,
  type Part,
  pay,
  SETTLED,
  smallScenario,
} from '../../src/simulation/run/small-scenario.ts';
import { importWith } from './planted/loader.ts';
import { editIn, type PlantedBug } from './planted/patch.ts';

type Defect = [
  title: string,
  world: number | Part,
  text: RegExp,
  edit: PlantedBug['edits'][number],
];

/** An initiator that unlocks nothing: its mediator is paid by the chain. */
const NEVER_UNLOCKS: Part = {
  steps: [pay(0, 2, 10), close(1, 0, 10)],
  attacks: [{ plan: 'moves', nodes: '0', moves: [{ do: 'drop', type: 'Unlock', times: 1_000 }] }],
  busy: 14,
  ...SETTLED,
};

const DEFECTS: Defect[] = [
  [
    'a node that has started again says no Sync',
    2,
    /says no Sync/,
    editIn('src/node/messaging/messaging.ts')(
      'resynchronise(directory.withPartner(partner));',
      'directory.withPartner(partner);',
    ),
  ],
  [
    'an acknowledgement ends the message after the one that it is for, too',
    8,
    /never takes what/,
    editIn('src/node/runtime/outbox.ts')(
      'proofsUpTo(lane, upToNonce)',
      'proofsUpTo(lane, upToNonce + 1n)',
    ),
  ],
  [
    'a deposit is answered before it is on chain',
    5,
    /says that deposit of \d+ is done, and it is not/,
    editIn('machines/channel/deposit.ts')(
      'effects: [depositTx(next, event)] }',
      'effects: [depositTx(next, event), replyChannel(next, requestId)] }',
    ),
  ],
  [
    'a mediator counts no fee when the chain has paid it',
    NEVER_UNLOCKS,
    /does not count what it earned/,
    editIn('machines/channel/endings.ts')(
      'registered.includes(secrethash) ? unlocked(null) : LOCK_GONE',
      'registered.length < 0 ? unlocked(null) : LOCK_GONE',
    ),
  ],
];

it.each(DEFECTS)('%s', { timeout: 120_000 }, async (title, world, text, edit) => {
  const bug: PlantedBug = {
    id: 'rule',
    title,
    edits: [edit],
    expected: 'liveness',
    needs: [],
    noticedBy: null,
  };
  const entry = 'src/simulation/run/simulate.ts';
  const { simulate } = await importWith<typeof Simulation>(bug, entry);
  const isSeed = typeof world === 'number';
  const scenario = isSeed ? mixScenario(world) : smallScenario('small', title, world);
  const { violation } = await simulate({ scenario, seed: isSeed ? world : 1 });
  expect(violation?.text).toMatch(text);
});
