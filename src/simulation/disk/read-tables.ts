/** The reads of the node's store, on tables in memory: the same answers as SQLite, in the same order. */
import type { RecordProof } from '../../../machines/effects.ts';
import { decode } from '../../store/base/codec.ts';
import { secrethashIn } from '../../store/history/used.ts';
import type { Store } from '../../store/store.ts';
import { laterFirst } from '../../store/tables/channels.ts';
import { pendingLocks } from '../../store/tables/locks-at.ts';
import type { StoredProof } from '../../store/tables/proofs.ts';
import { registeredId } from '../../store/tables/secrets.ts';
import { type LockStep, stepChange } from '../../store/tables/steps.ts';
import { callKey, type StoredPayment, type Tables } from './tables.ts';

const ALL = Number.POSITIVE_INFINITY;

type BootReads = Pick<Store, 'loadActors' | 'hasEnded' | 'loadOutbox' | 'loadJobs'>;

export function bootReads(tables: () => Tables): BootReads {
  return {
    loadActors: () =>
      tables()
        .actors.list()
        .map((row) => ({ ...row })),
    hasEnded: (id) =>
      secrethashIn(id) === null && (tables().ended.has(id) || tables().registered.has(id)),
    loadOutbox: () =>
      tables()
        .outbox.list()
        .map((row) => ({ ...row })),
    loadJobs: () =>
      tables()
        .jobs.list()
        .map((row) => ({ ...row })),
  };
}

type HistoryReads = Pick<
  Store,
  | 'payments'
  | 'paymentCount'
  | 'paymentsOf'
  | 'isSecrethashUsed'
  | 'registeredSecret'
  | 'alerts'
  | 'budgets'
  | 'forced'
>;

export function historyReads(tables: () => Tables): HistoryReads {
  const select = (isWanted: (payment: StoredPayment) => boolean) =>
    tables().payments.range(1, ALL).filter(isWanted);
  return {
    payments({ token, partner, paymentId = null, offset, limit }) {
      const matching = select(
        (payment) =>
          (token === null || payment.record.token === token) &&
          (partner === null || payment.partner === partner) &&
          (paymentId === null || payment.record.paymentId === paymentId),
      );
      const end = limit === null ? ALL : offset + limit;
      return [matching.slice(offset, end).map(({ record }) => ({ ...record }))];
    },
    paymentCount: () => tables().payments.range(1, ALL).length,
    paymentsOf: (channel, fromBlock) => [
      select((payment) => payment.channel === channel && payment.block >= fromBlock).map(
        ({ seq, block, record }) => ({ seq, block, record: { ...record } }),
      ),
    ],
    isSecrethashUsed(secrethash) {
      const { secrethashes, ended } = tables();
      const kinds = ['initiator', 'mediator', 'target'];
      return (
        secrethashes.has(secrethash) || kinds.some((kind) => ended.has(`${kind}:${secrethash}`))
      );
    },
    registeredSecret(secrethash) {
      const block = tables().registered.get(registeredId(secrethash));
      return block === undefined ? null : { block };
    },
    budgets: () =>
      tables()
        .budgets.entries()
        .map(([, row]) => ({ ...row })),
    forced: () =>
      tables()
        .forced.entries()
        .map(([, row]) => ({ ...row })),
    alerts: () =>
      tables()
        .alerts.range(1, ALL)
        .map((alert) => ({ ...alert })),
  };
}

type RedemptionReads = Pick<Store, 'receivedPayment' | 'findRedemption' | 'redeemableFrom'>;

export function redemptionReads(tables: () => Tables): RedemptionReads {
  return {
    receivedPayment(secrethash) {
      for (const payment of tables().payments.range(1, ALL)) {
        const { record } = payment;
        if (payment.secrethash !== secrethash || record.event !== 'EventPaymentReceivedSuccess')
          continue;
        const { initiator, token, paymentId, amount, time } = record;
        return { initiator, token, paymentId, amount, time };
      }
      return null;
    },
    findRedemption(secrethash) {
      const found = tables().redemptions.get(secrethash);
      return found === undefined ? null : { request: found.request, paymentId: found.paymentId };
    },
    redeemableFrom: () => tables().facts().redeemableFrom,
  };
}

type ProofReads = Pick<Store, 'locksAt' | 'findProof' | 'stepsBefore' | 'latestProofs'>;

export function proofReads(tables: () => Tables): ProofReads {
  return {
    locksAt: (channel, side, nonce) =>
      pendingLocks(
        tables()
          .steps.below(channel, side, nonce + 1n)
          .map(lockStepOf),
      ),
    findProof: (channel, side, balanceHash) =>
      proofOf(tables().steps.find(channel, side, balanceHash)),
    stepsBefore: (channel, side, before, limit) =>
      tables()
        .steps.below(channel, side, before)
        .slice(0, limit)
        .map(({ nonce, transferredAmount, lockedAmount, locksroot }) => {
          return { nonce, transferredAmount, lockedAmount, locksroot };
        }),
    latestProofs: (channel) => ({
      own: proofOf(tables().steps.newest(channel, 'own')),
      partner: proofOf(tables().steps.newest(channel, 'partner')),
    }),
  };
}

function proofOf(step: RecordProof | null): StoredProof | null {
  if (step === null) return null;
  const { nonce, transferredAmount, lockedAmount, locksroot, balanceHash } = step;
  return { nonce, transferredAmount, lockedAmount, locksroot, balanceHash };
}

function lockStepOf({ nonce, lockedAmount, locksroot, changes }: RecordProof): LockStep {
  return { nonce, lockedAmount, locksroot, changes: changes.map(stepChange) };
}

type ChannelReads = Pick<Store, 'channelsWith' | 'channelIds' | 'logs' | 'channelsAfter'>;

export function channelReads(tables: () => Tables): ChannelReads {
  const byChannel = () =>
    tables()
      .logs.entries()
      .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    channelsWith: (token, partner) =>
      tables()
        .channels.list()
        .filter((row) => row.token === token && row.partner === partner)
        .map((row) => ({ ...row }))
        .sort(laterFirst),
    channelIds: () => tables().channels.keys().sort(),
    logs: (channel, fromBlock) => [
      (tables().logs.get(channel) ?? [])
        .filter(({ block }) => block >= fromBlock)
        .map(({ block, logIndex, body }) => ({ block, logIndex, log: decode(body) })),
    ],
    channelsAfter: (after) =>
      byChannel().flatMap(([channel, logs]) =>
        logs.some(({ block }) => block > after) ? [channel] : [],
      ),
  };
}

type CallReads = Pick<Store, 'callsUnderWay' | 'findCall' | 'countCalls'>;

export function callReads(tables: () => Tables): CallReads {
  const list = () =>
    tables()
      .calls.list()
      .map(({ time: _, ...call }) => call);
  return {
    callsUnderWay: () => list().filter(({ answer }) => answer === null),
    findCall(of) {
      const found = tables().calls.get(callKey(of));
      if (found === undefined) return null;
      const { time: _, ...call } = found;
      return call;
    },
    countCalls: (caller) => list().filter((call) => call.caller === caller).length,
  };
}
