/**
 * What a person reads in the log about money, of what is on disk: channels as the chain tells of them, each failed
 * payment, and at most once a second how much was paid. No secret is among it, nor whoever called.
 */

import type { RecordPayment } from '../../../machines/effects.ts';
import type { ChainLog } from '../../../machines/events/chain.ts';
import type { Log } from '../../protocol/environment.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Batch } from '../../store/batch.ts';

type Audit = {
  /** After the commit. */
  note(batch: Pick<Batch, 'logs' | 'payments' | 'mediations'>): void;
  /** Tells what was counted and not told yet. */
  end(): void;
};

/** Sums in the token's smallest unit. */
type Paid = {
  sent: number;
  sentSum: bigint;
  received: number;
  receivedSum: bigint;
  mediated: number;
  fees: bigint;
};
type Failed = Extract<RecordPayment, { type: 'record.paymentFailed' }>;

const PERIOD_MS = 1_000;
/** Failed payments that are told one by one in a period; more are counted. */
const MOST_FAILURES = 20;

/** `now`: milliseconds. Sums are told with the first commit after a period: no timer runs for them. */
export function createAudit({ log, now }: { log: Log; now(): number }): Audit {
  const paid = new Map<Address, Paid>();
  let failures = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  const paidOf = (token: Address): Paid => {
    const known = paid.get(token) ?? { ...NOTHING };
    paid.set(token, known);
    return known;
  };

  function noteFailure(payment: Failed): void {
    failures += 1;
    if (failures > MOST_FAILURES) return;
    const { token, target, paymentId, amount, attempts, code, reason } = payment;
    const facts = { token, target, paymentId: `${paymentId}`, amount: `${amount}`, attempts };
    log.info({ ...facts, code, reason }, 'payment failed');
  }

  function notePayment(payment: RecordPayment): void {
    if (payment.type === 'record.paymentFailed') noteFailure(payment);
    else addTo(paidOf(payment.token), payment);
  }

  function tell(): void {
    if (paid.size === 0 && failures === 0) return;
    toldAt = now();
    for (const [token, sums] of paid) log.info({ token, ...textsOf(sums) }, 'payments');
    if (failures > MOST_FAILURES)
      log.info({ count: failures - MOST_FAILURES }, 'more payments failed');
    paid.clear();
    failures = 0;
  }

  return {
    note({ logs, payments, mediations }) {
      for (const { channel, log: event } of logs) {
        const told = toldOf(event);
        if (told === null) continue;
        const { text, ...facts } = told;
        log.info({ channel, block: `${event.at.block}`, ...facts }, text);
      }
      for (const payment of payments) notePayment(payment);
      for (const { token, fee } of mediations) {
        const sums = paidOf(token);
        sums.mediated += 1;
        sums.fees += fee;
      }
      if (now() - toldAt >= PERIOD_MS) tell();
    },
    end: tell,
  };
}

function addTo(sums: Paid, { type, amount }: Exclude<RecordPayment, Failed>): void {
  if (type === 'record.paymentSent') {
    sums.sent += 1;
    sums.sentSum += amount;
  } else {
    sums.received += 1;
    sums.receivedSum += amount;
  }
}

/** The commit, and then its lines in the log. */
export function auditedCommit(audit: Audit, commit: (batch: Batch) => void) {
  return (batch: Batch) => {
    commit(batch);
    audit.note(batch);
  };
}

const NOTHING: Paid = {
  sent: 0,
  sentSum: 0n,
  received: 0,
  receivedSum: 0n,
  mediated: 0,
  fees: 0n,
};

/** Only what happened. */
function textsOf({ sent, sentSum, received, receivedSum, mediated, fees }: Paid) {
  return {
    ...(sent === 0 ? {} : { sent, sentSum: `${sentSum}` }),
    ...(received === 0 ? {} : { received, receivedSum: `${receivedSum}` }),
    ...(mediated === 0 ? {} : { mediated, fees: `${fees}` }),
  };
}

function toldOf(event: ChainLog): ({ text: string } & Record<string, string>) | null {
  switch (event.type) {
    case 'chain.channelOpened': {
      const { participant1, participant2, settleTimeout } = event;
      const facts = { participant1, participant2, settleTimeout: `${settleTimeout}` };
      return { text: 'channel opened', ...facts };
    }
    case 'chain.channelDeposit': {
      const { participant, totalDeposit } = event;
      return { text: 'deposit', participant, totalDeposit: `${totalDeposit}` };
    }
    case 'chain.channelWithdraw': {
      const { participant, totalWithdraw } = event;
      return { text: 'withdrawal', participant, totalWithdraw: `${totalWithdraw}` };
    }
    case 'chain.channelClosed':
      return { text: 'channel closed', closer: event.closer, nonce: `${event.nonce}` };
    case 'chain.proofUpdated':
      return { text: 'balance proof brought', closer: event.closer, nonce: `${event.nonce}` };
    case 'chain.channelSettled': {
      const { participant1, amount1, participant2, amount2 } = event;
      const first = { participant1, amount1: `${amount1}` };
      return { text: 'channel settled', ...first, participant2, amount2: `${amount2}` };
    }
    case 'chain.channelUnlocked': {
      const { receiver, unlockedAmount, returnedTokens } = event;
      const facts = { unlocked: `${unlockedAmount}`, returned: `${returnedTokens}` };
      return { text: 'locks unlocked', receiver, ...facts };
    }
    // Of no channel: nothing of it is kept with one.
    case 'chain.tokenNetworkCreated':
    case 'chain.secretRevealed':
      return null;
  }
}
