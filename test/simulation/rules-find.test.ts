/** Defects of the node that one rule alone finds: each is planted in the node, and the world of one seed is run with it. */
import { expect, it } from 'vitest';
import type { Violation } from '../../src/simulation/invariants/violation.ts';
import type { Run } from '../../src/simulation/run/build.ts';
import { mixScenario } from '../../src/simulation/run/mix/mix.ts';
import type * as Simulation from '../../src/simulation/run/simulate.ts';
import { importWith } from './planted/loader.ts';
import { editIn, type PlantedBug } from './planted/patch.ts';
import {
  close,
  inChannel,
  type Part,
  pay,
  smallScenario,
  TIME_TO_SETTLE,
} from './small-scenarios.ts';

type Defect = [
  title: string,
  world: number | Part,
  text: RegExp,
  edit: PlantedBug['edits'][number],
];

/** An initiator that unlocks nothing: its mediator is paid by the chain. */
const NEVER_UNLOCKS: Part = {
  steps: [pay(0, 2, 10), close(1, 0, 10)],
  attacks: [{ plan: 'moves', nodes: '0', moves: [{ do: 'drop', type: 'unlock', times: 1_000 }] }],
  busy: 14,
  ...TIME_TO_SETTLE,
};

/** A mediator that cheats: it is paid by the chain, and shows its payer nothing. */
const CLAIMS_ON_CHAIN: Part = {
  steps: [pay(0, 2, 10), close(0, 1, 3)],
  attacks: [
    { plan: 'moves', nodes: '1', moves: [{ do: 'drop', type: 'RevealSecret', times: 1_000 }] },
  ],
  busy: 30,
  ...TIME_TO_SETTLE,
};

/** A node whose partner closes, and whose standby takes over before its proof is in a block. */
const taken = (...kinds: [kind: string, at_block: number, blocks: number][]): Part => ({
  nodes: 2,
  steps: [{ ...pay(1, 0, 10), expect: 'success' }, close(1, 0, 4)],
  settings: [{ nodes: '0', standby: { takeover_after: 5 } }],
  faults: kinds.map(([kind, at_block, blocks]) => {
    return { kind, nodes: '0', when: { at_block, blocks } };
  }),
  busy: 14,
  ...TIME_TO_SETTLE,
});
/** A partner that takes what it is sent, and never says so. */
const NEVER_ACKNOWLEDGES: Part = {
  nodes: 2,
  steps: [pay(0, 1, 10)],
  attacks: [
    {
      plan: 'moves',
      nodes: '1',
      moves: ['Processed', 'Sync'].map((type) => ({ do: 'drop', type, times: 1_000 })),
    },
  ],
  busy: 60,
  ...TIME_TO_SETTLE,
};

/** Half of the payments to a seller are redeemed at once. */
const SELLS: Part = {
  nodes: 2,
  steps: [1, 2, 3, 4, 5, 6].map((block) => pay(0, 1, 10, block)),
  settings: [{ nodes: '1', sells: 5 }],
  busy: 20,
};

const pendingTransactions = editIn('src/chain/queue/pending-transactions.ts');

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
    'a node is never ready',
    { steps: [] },
    /the nodes did not become ready/,
    editIn('src/node/health/rows.ts')(
      "if (!missing?.trouble) return { status: 'ready' };",
      "if (!missing?.trouble) return { status: 'unavailable', reason: 'never' };",
    ),
  ],
  [
    'a node refuses what nothing hinders',
    { steps: [{ do: 'try_channels', nodes: 'all', at_block: 20 }], busy: 30 },
    /cannot pay over/,
    editIn('src/node/api/payments.ts')(
      "if (partners.brokerTrouble() !== null) return failure('broker_unavailable');",
      "if (request.amount === 1n) return failure('broker_unavailable');",
    ),
  ],
  [
    'an acknowledgement ends the message after the one that it is for, too',
    8,
    /says channel:\S+ no more, and \S+ has not said that it has it/,
    editIn('src/node/runtime/outbox/outbox.ts')(
      'proofsUpTo(lane, upToNonce)',
      'proofsUpTo(lane, upToNonce + 1n)',
    ),
  ],
  [
    'an acknowledgement that has come ends nothing',
    11,
    /keeps channel:\S+, which was acknowledged at/,
    editIn('src/node/runtime/outbox/outbox.ts')(
      'if (entry === undefined || entry.to !== sender',
      'if (entry === undefined || sender',
    ),
  ],
  [
    'a deposit is answered before it is on chain',
    { steps: [inChannel('deposit', 0, 1, { amount: '5' })] },
    /says that deposit of \d+ is done, and it is not/,
    editIn('machines/channel/deposit.ts')(
      "effects: [{ type: 'tx.deposit', from: id, key, deadlineBlock: null, ...facts }],",
      "effects: [{ type: 'tx.deposit', from: id, key, deadlineBlock: null, ...facts }, replyChannel(channel, requestId)],",
    ),
  ],
  [
    'a caller may pay one time more than it may pay a day',
    {
      steps: [],
      traffic: [
        {
          from: { kind: 'nodes', nodes: '0' },
          to: { kind: 'nodes', nodes: '2' },
          rate: { kind: 'constant', per_block: 1 },
          amount: { kind: 'constant', amount: '10' },
          per_day: '25',
        },
      ],
    },
    /pays 30 for flow 0, which may pay 25/,
    editIn('src/node/api/payments.ts')('amount <= left', 'left > 0n'),
  ],
  [
    'a plan of the user deposit is answered before it is on chain',
    {
      steps: [
        { do: 'fill_user_deposit', node: 0, amount: '9 tokens', at_block: 1 },
        { do: 'plan_user_withdrawal', node: 0, amount: '4 tokens', at_block: 8 },
      ],
      busy: 12,
    },
    /says that plan_user_withdrawal is done, and it is not/,
    editIn('machines/user-deposit/withdrawal/transactions.ts')(
      'patch: {},\n    effects: [',
      "patch: {},\n    effects: [{ type: 'reply.ok', requestId: withdrawal.requestId ?? '', value: { kind: 'withdrawPlan', transactionHash: '0x00', withdrawBlock: 1n } }, ",
    ),
  ],
  [
    'a plan of the user deposit is sent as another call',
    {
      steps: [
        { do: 'fill_user_deposit', node: 0, amount: '9 tokens', at_block: 1 },
        { do: 'plan_user_withdrawal', node: 0, amount: '4 tokens', at_block: 8 },
      ],
      busy: 12,
    },
    /refuses plan_user_withdrawal of 4\d* at \d+: transaction_failed, which is not so/,
    editIn('src/node/chain/jobs/tx-calls.ts')(
      'return calls.userDepositPlanCalls(tx);',
      "return calls.userDepositWithdrawCalls({ ...tx, type: 'tx.userDepositWithdraw' });",
    ),
  ],
  [
    'a node pays over others what its own channel could carry',
    { topology: { kind: 'ring', nodes: 3 }, steps: [pay(0, 1, 10, 8)], busy: 20 },
    /pays 10 over others, which its own channel:\S+ could carry/,
    editIn('src/node/routing/usable-routes.ts')(
      "if (!('route' in direct)) return search(request, tokenNetwork);",
      'const all = await search(request, tokenNetwork);\n      if (all.ok) return { ...all, value: all.value.slice(1) };',
    ),
  ],
  [
    'a mediator counts no fee when the chain has paid it',
    NEVER_UNLOCKS,
    /does not count what it earned/,
    editIn('machines/channel/notices.ts')(
      'registered.includes(secrethash) ? unlocked(null) : LOCK_GONE',
      'registered.length < 0 ? unlocked(null) : LOCK_GONE',
    ),
  ],
  // What the payer loses another rule finds, too, in the end.
  [
    'a payment over a cheat that the chain has paid after a close is called failed',
    CLAIMS_ON_CHAIN,
    /node-2 got 10 for \S+, and node-0 calls it failed/,
    editIn('machines/initiator/chart.ts')(
      "on: {\n        'chain.block': { target: 'failed', actions: 'failClosed' },",
      "on: {\n        'chain.secretRevealed': {},\n        'chain.block': { target: 'failed', actions: 'failClosed' },",
    ),
  ],
  [
    'a registration that is forced on a mediator is charged to nobody',
    { ...NEVER_UNLOCKS, steps: [pay(0, 2, 10)], busy: 40 },
    /registers 1 secrets for \S+, and charges nothing/,
    editIn('machines/mediator/payer.ts')(
      'effects: [...charged(payer.partner, jobs), registration(mediator, secret, jobs)],',
      'effects: [...charged(payer.partner, 2), registration(mediator, secret, jobs)],',
    ),
  ],
  [
    'what nobody acknowledges is repeated ever more seldom, without end',
    NEVER_ACKNOWLEDGES,
    /has not said channel:\S+ to \S+ for \d+ seconds/,
    editIn('src/node/runtime/outbox/round-trips.ts')(
      'export const LONGEST_PAUSE_MS = 30_000;',
      'export const LONGEST_PAUSE_MS = 3_000_000;',
    ),
  ],
  [
    'a payment is redeemed as often as it is asked for',
    SELLS,
    /writes a second redemption/,
    editIn('src/node/api/selling/judge.ts')(
      'return redemptions.find(secrethashOf(secret)) === null',
      'return redemptions.find(secrethashOf(secret)) !== undefined',
    ),
  ],
  [
    'a standby sends again what its stream says was sent',
    taken(['censored', 5, 4], ['takeover', 7, 1]),
    /pays for updateNonClosingBalanceProof, which it has done before/,
    pendingTransactions(
      'createKnownTransactions(storage.all().map((row) => toPending(row, null)))',
      'createKnownTransactions([])',
    ),
  ],
  [
    'a standby sends more than once what it could not know to be sent',
    taken(['stream_away', 5, 3]),
    /pays for updateNonClosingBalanceProof, which it has done before/,
    pendingTransactions(
      'await broadcast(pending, market);\n    return pending;',
      'await broadcast(pending, market);\n    if (version.nonce === 1) await client.sendRawTransaction({ serializedTransaction: (await signed(content, 2, fees)).raw });\n    return pending;',
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
  let found: readonly Violation[] = [];
  const onBuilt = ({ violations }: Run) => {
    found = violations;
  };
  await simulate({ scenario, seed: isSeed ? world : 1, onBuilt });
  expect(found.map((violation) => violation.message)).toContainEqual(expect.stringMatching(text));
});
