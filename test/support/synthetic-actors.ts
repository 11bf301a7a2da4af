/** Many actors of a node that does not exist: what the list shows of them, and how they move. */

import type { Address } from '../../src/basics/hex.ts';
import type { ListedActor, StepRecords } from '../../src/inspector/wire.ts';
import { hashOf, NETWORK } from './makers.ts';
import type { StepWriter } from './synthetic-records.ts';

const IDLE = 'opened.deposit.idle+withdraw.idle';
const STATES = {
  channel: [IDLE, IDLE, IDLE, 'opened.deposit.depositing+withdraw.idle', 'closed', 'settling'],
  initiator: ['locking', 'locked', 'locked', 'revealed'],
  mediator: ['payer.waiting+payee.pending', 'payer.known+payee.unlocked'],
  target: ['requesting', 'revealed', 'registering'],
} as const;
const ENDS = { channel: 'gone', initiator: 'paid', mediator: 'done', target: 'paid' } as const;
const MACHINES = ['channel', 'channel', 'initiator', 'mediator', 'target'] as const;
/** Blocks until the actor's deadline; null: it has none. */
const BLOCKS_LEFT = [null, 420n, 96n, 33n, 7n, null, 180n, 61n, -2n] as const;

const syntheticAddress = (n: number): Address =>
  `0x${(n * 7_919 + 0xa11ce).toString(16).padStart(40, '5eed')}`;

export type ActorsParts = { block?: bigint; tokens?: number; partners?: number };

/** `count` actors of several machines, tokens, partners and states; each eleventh has ended. */
export function syntheticRows(count: number, parts: ActorsParts = {}): ListedActor[] {
  const { block = 1_000n, tokens = 3, partners = 40 } = parts;
  return Array.from({ length: count }, (_, n) => {
    const machine = MACHINES[n % MACHINES.length] ?? 'channel';
    const states = STATES[machine];
    const isEnded = n % 11 === 10;
    const left = BLOCKS_LEFT[n % BLOCKS_LEFT.length] ?? null;
    const isChannel = machine === 'channel';
    return {
      actor: isChannel ? `channel:${NETWORK}:${n}` : `${machine}:${hashOf(n)}`,
      machine,
      state: isEnded ? ENDS[machine] : (states[n % states.length] ?? IDLE),
      token: syntheticAddress(900 + (n % tokens)),
      partner: syntheticAddress(n % partners),
      initiator: null,
      target: null,
      balances: null,
      paymentId: isChannel ? null : BigInt(n) * 1_000_003n + 18_000_000_000_000_000_000n,
      amount: BigInt(n) * 1_000_000_007n,
      deadlineBlock: isEnded || left === null ? null : block + left,
      isEnded,
      endTime: null,
    };
  });
}

/** One step of the actor: it takes its machine's next state, and another deadline. */
export function nextStep(writer: StepWriter, row: ListedActor, block: bigint): StepRecords {
  const machine = MACHINES.find((name) => name === row.machine) ?? 'channel';
  const states = STATES[machine];
  const to = states.find((_, n) => states[n - 1] === row.state) ?? states[0];
  const deadlineBlock = block + BigInt(5 + (writer.seq % 200));
  return writer.step({ actor: row.actor, block }, [
    { kind: 'event', event: { type: 'chain.block', nowBlock: block } },
    {
      kind: 'transition',
      from: row.state,
      to,
      edges: [],
      patch: [],
      deadlineBlock,
      balances: null,
    },
  ]);
}

/** The rows after what the steps tell. */
export function rowsAfter(
  rows: ReadonlyMap<string, ListedActor>,
  steps: readonly StepRecords[],
): Map<string, ListedActor> {
  const next = new Map(rows);
  for (const record of steps.flat()) {
    const row = next.get(record.actor);
    if (record.kind === 'spawn' && row === undefined) {
      next.set(record.actor, spawnedRow(record.actor, record.machine, record.state));
    }
    if (row === undefined) continue;
    if (record.kind === 'transition') {
      next.set(record.actor, { ...row, state: record.to, deadlineBlock: record.deadlineBlock });
    }
    if (record.kind === 'stop') next.set(record.actor, { ...row, isEnded: true, endTime: null });
  }
  return next;
}

function spawnedRow(actor: string, machine: string, state: string): ListedActor {
  const nothing = {
    token: null,
    partner: null,
    initiator: null,
    target: null,
    balances: null,
    paymentId: null,
    amount: null,
    deadlineBlock: null,
  };
  return { actor, machine, state, ...nothing, isEnded: false, endTime: null };
}
