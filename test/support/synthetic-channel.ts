/**
 * One channel with a long life: the real machine is told of payments, a deposit, a withdraw and refusals,
 * and each step is written down as the inspector tells it.
 */

import {
  type AnyStateNode,
  getMicrosteps,
  getNextTransitions,
  type SnapshotFrom,
  transition,
} from 'xstate';
import { channelMachine } from '../../machines/channel/chart.ts';
import type { ChannelContext, ChannelEvent } from '../../machines/channel/context.ts';
import type { Stamped } from '../../machines/events/stamps.ts';
import { channelTags, stateText } from '../../machines/tags.ts';
import { balancesOf, moneyOf, payoutWith } from '../../src/inspector/base/money.ts';
import { guardText, machineDefinition } from '../../src/inspector/charts/definitions.ts';
import { edgeId } from '../../src/inspector/charts/edges.ts';
import type {
  ActorHistory,
  ActorView,
  GuardRead,
  ListedActor,
  ProofPayout,
  StepRecords,
} from '../../src/inspector/wire.ts';

import {
  addLock,
  expireLock,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
  unlock,
} from './channel-makers.ts';
import { at, CHANNEL, deposited, hashOf, OWN } from './makers.ts';
import { effectsIn } from './played.ts';
import { deadlinesOf, nearestDeadline, patchOf, redacted } from './synthetic-answers.ts';
import type { BareRecord, StepWriter } from './synthetic-records.ts';

type Told = Stamped<ChannelEvent>;
type Cause = StepRecords[number]['cause'];

/** Steps and answers about one actor that a synthetic node keeps. */
export type SyntheticActor = {
  row(): ListedActor;
  view(nowBlock: bigint): Omit<ActorView, 'block' | 'seq'>;
  base: ActorHistory['base'];
  steps: StepRecords[];
  readonly proofs: ProofPayout[];
};
export type SyntheticChannel = SyntheticActor & {
  /** The newest block that the channel was told of. */
  readonly nowBlock: bigint;
  tell(event: Told, cause?: Cause): StepRecords;
  /** A payment of ours from its lock to its end, two blocks long. */
  pay(amount: bigint): StepRecords[];
};

const UNIT = 1_000_000_000_000_000_000n;
const TIMEOUTS = { revealTimeout: 50n, settleTimeout: 500n };
const FIRST_BLOCK = 1_000n;

/**
 * A channel after `payments` payments in both directions, about four steps each; then two locks of ours and
 * one of the partner are pending, a withdraw waits for the partner, and a payment above the capacity was
 * refused.
 */
export function syntheticChannel(writer: StepWriter, { payments = 70 } = {}): SyntheticChannel {
  const channel = emptyChannel(writer);
  let theirs = partnersChannel({ deposit: 25n * UNIT, partnerDeposit: 40n * UNIT, ...TIMEOUTS });
  let n = 0;

  function theyLock(amount: bigint): void {
    n += 1;
    theirs = theirs.tell(at(channel.nowBlock, partnersLock({ n, amount })));
    channel.tell(at(channel.nowBlock, received(theirs)));
  }
  function theyPay(amount: bigint): void {
    theyLock(amount);
    theirs = theirs.tell(at(channel.nowBlock, unlock(n)));
    channel.tell(at(channel.nowBlock, received(theirs)));
  }
  /** What a node does before each commit in which the channel has changed. */
  const sign = () => channel.tell({ type: 'actor.sign', nowBlock: channel.nowBlock });
  function weLock(amount: bigint): void {
    n += 1;
    channel.tell(at(channel.nowBlock, addLock({ n, amount, paymentId: BigInt(n) })), {
      from: 'actor',
      actor: `initiator:${hashOf(n)}`,
      seq: writer.seq,
    });
    sign();
  }

  channel.tell(depositOrder(10n * UNIT, FIRST_BLOCK));
  channel.tell(at(FIRST_BLOCK + 3n, deposited(OWN, 25n * UNIT + 1n)));
  channel.tell(depositMined(FIRST_BLOCK + 3n));
  for (let count = 0; count < payments; count++) {
    const block = FIRST_BLOCK + 5n + BigInt(count) * 2n;
    channel.moveTo(block);
    const amount = BigInt(count + 1) * 8_345_678_901_234_567n;
    weLock(amount);
    channel.moveTo(block + 1n);
    if (count % 9 === 8) channel.tell(at(block + 1n, expireLock(n)));
    else channel.tell(at(block + 1n, unlock(n)), told(`initiator:${hashOf(n)}`, writer.seq));
    sign();
    theyPay(amount / 2n + 1n);
  }
  weLock(400n * UNIT);
  weLock(UNIT + 7n);
  channel.moveTo(channel.nowBlock + 30n);
  weLock(3n * UNIT + 333n);
  theyLock(2n * UNIT + 1n);
  channel.tell(withdrawOrder(UNIT, channel.nowBlock));
  return {
    ...channel,
    get nowBlock() {
      return channel.nowBlock;
    },
    get proofs() {
      return channel.proofs;
    },
    pay(amount) {
      n += 1;
      const block = channel.nowBlock + 1n;
      const locked = channel.tell(
        at(block, addLock({ n, amount })),
        told(`initiator:${hashOf(n)}`, writer.seq),
      );
      const signed = sign();
      const unlocked = channel.tell(
        at(block + 1n, unlock(n)),
        told(`initiator:${hashOf(n)}`, writer.seq),
      );
      return [locked, signed, unlocked, sign()];
    },
  };
}

const told = (actor: string, seq: number): Cause => ({ from: 'actor', actor, seq });

function emptyChannel(writer: StepWriter) {
  const opened = openChannel({
    deposit: 15n * UNIT,
    partnerDeposit: 40n * UNIT,
    ...TIMEOUTS,
  });
  let { snapshot } = opened;
  let nowBlock = FIRST_BLOCK;
  const steps: StepRecords[] = [];
  const signed: Omit<ProofPayout, 'payout'>[] = [];
  const chart = machineDefinition('channel');
  steps.push(
    writer.step({ actor: CHANNEL, block: nowBlock }, [
      {
        kind: 'spawn',
        machine: 'channel',
        version: chart.version,
        input: null,
        state: stateText(snapshot.value),
        context: snapshot.context,
        isRestored: true,
      },
    ]),
  );

  function row(): ListedActor {
    const { token, partner, wakeBlock } = snapshot.context;
    const balances = balancesOf(snapshot.context);
    const nothing = {
      initiator: null,
      target: null,
      paymentId: null,
      amount: null,
      isEnded: snapshot.status === 'done',
      endTime: null,
    };
    const state = stateText(snapshot.value);
    return {
      actor: CHANNEL,
      machine: 'channel',
      state,
      token,
      partner,
      balances,
      deadlineBlock: nearestDeadline(snapshot.context) ?? wakeBlock,
      ...nothing,
    };
  }

  return {
    steps,
    get proofs() {
      return signed.map((proof) => ({ ...proof, payout: payoutOf(snapshot.context, proof) }));
    },
    base: null,
    row,
    get nowBlock() {
      return nowBlock;
    },
    moveTo(block: bigint) {
      nowBlock = block;
    },
    tell(event: Told, cause: Cause = { from: 'outside' }): StepRecords {
      nowBlock = event.nowBlock;
      const before = snapshot;
      const taken = channelMachine.getTransitionData(before, event);
      const asked = getNextTransitions(before).filter(({ eventType }) => eventType === event.type);
      const [next, actions] = transition(channelMachine, before, event);
      snapshot = next;
      const effects = effectsIn(actions);
      const guards: BareRecord[] = asked.flatMap((edge) =>
        (edge.guard === undefined ? [] : [edge.guard]).map((guard) => ({
          kind: 'guard' as const,
          guard: guardText(guard),
          params: null,
          transition: edgeId(edge),
          isOpen: taken.includes(edge),
          reads: readsOf(before.context, event),
        })),
      );
      const step = writer.step({ actor: CHANNEL, block: nowBlock, cause }, [
        { kind: 'event', event: { ...redacted(event), type: event.type } },
        ...guards,
        {
          kind: 'transition',
          from: stateText(before.value),
          to: stateText(next.value),
          edges: [...taken, ...eventlessEdges(before, event)].flatMap((edge) => edgeId(edge) ?? []),
          patch: redacted(patchOf(before.context, next.context)),
          deadlineBlock: nearestDeadline(next.context),
          balances: balancesOf(next.context),
        },
        ...effects.map((effect) => ({
          kind: 'effect' as const,
          effect: { ...redacted(effect), type: effect.type },
        })),
      ]);
      for (const effect of effects) {
        if (effect.type !== 'record.proof') continue;
        const { side, nonce, transferredAmount, lockedAmount, locksroot } = effect;
        signed.unshift({ side, nonce, transferredAmount, lockedAmount, locksroot });
      }
      steps.push(step);
      return step;
    },
    view(): Omit<ActorView, 'block' | 'seq'> {
      const { context } = snapshot;
      return {
        row: row(),
        version: chart.version,
        context: redacted(context),
        next: [...new Set(getNextTransitions(snapshot).map(({ eventType }) => eventType))],
        deadlines: deadlinesOf(context),
        money: moneyOf(context, channelTags(snapshot.value).has('takesLocks')),
      };
    },
  };
}

/** What a settlement pays when the side's proof is this older one. */
function payoutOf({ ownEnd, partnerEnd }: ChannelContext, proof: Omit<ProofPayout, 'payout'>) {
  const { side, transferredAmount: transferred, lockedAmount: locked } = proof;
  const older = { transferred, locked };
  const moved =
    side === 'own' ? { own: older, partner: partnerEnd } : { own: ownEnd, partner: older };
  return payoutWith({ ownEnd, partnerEnd }, moved);
}

/** The edges that were taken without an event after those of the event. */
function eventlessEdges(before: SnapshotFrom<typeof channelMachine>, event: Told) {
  const snapshots = getMicrosteps(channelMachine, before, event).map(([snapshot]) => snapshot);
  return snapshots.slice(1).flatMap((after, index) => {
    const from = snapshots[index];
    if (from === undefined) return [];
    const isEntered = (node: AnyStateNode) =>
      after._nodes.includes(node) && !from._nodes.includes(node);
    return getNextTransitions(from).filter(
      ({ eventType, target }) => eventType === '' && (target ?? []).some(isEntered),
    );
  });
}

function depositOrder(added: bigint, nowBlock: bigint): Told {
  const limits = {
    participantLimit: 100n * UNIT,
    networkRoom: 100n * UNIT,
    ownTokens: 100n * UNIT,
  };
  const totalDeposit = 15n * UNIT + added + 1n;
  return { type: 'cmd.deposit', requestId: 'deposit-1', totalDeposit, limits, nowBlock };
}

function withdrawOrder(totalWithdraw: bigint, nowBlock: bigint): Told {
  const facts = { isPartnerThere: true, canPayGas: true, messageId: 99n };
  return { type: 'cmd.withdraw', requestId: 'withdraw-1', totalWithdraw, ...facts, nowBlock };
}

function depositMined(nowBlock: bigint): Told {
  const key = `deposit:${CHANNEL}:1`;
  const mined = { ok: true, transactionHash: hashOf(77), minedBlock: nowBlock - 1n } as const;
  return { type: 'chain.tx', key, ...mined, nowBlock };
}

function readsOf(context: ChannelContext, event: Told): GuardRead[] {
  const { ownEnd } = context;
  const amount = 'amount' in event ? [{ path: 'event.amount', value: event.amount }] : [];
  return [
    ...amount,
    { path: 'context.ownEnd.deposit', value: ownEnd.deposit },
    { path: 'context.ownEnd.transferred', value: ownEnd.transferred },
    { path: 'context.ownEnd.locked', value: ownEnd.locked },
  ];
}
