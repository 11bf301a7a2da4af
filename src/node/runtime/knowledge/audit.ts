/**
 * Log lines about money, of what is on disk: what the chain says about channels, what befell one of them, each failed payment, and at most once
 * a second the sums that were paid. They contain no secret and do not name the caller.
 */

import type { RecordAlert, RecordPayment } from '../../../../machines/effects.ts';
import type { ChainLog } from '../../../../machines/events/chain.ts';
import type { Log } from '../../../basics/environment.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Batch } from '../../../store/base/batch.ts';

type Audit = {
  /** Called when the commit is on disk. */
  note(batch: Pick<Batch, 'logs' | 'payments' | 'mediations' | 'alerts'>): void;
  /** Logs what was counted and not logged yet. */
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

const ALERTS: Record<RecordAlert['alert'], string> = {
  stale_database:
    'a channel is frozen, and can only be closed: an old copy of the database has run',
  unanswered_lock: 'a lock has no payment: the chain is watched for it',
  chain_replaced: 'the chain has lost something of a channel, which can only be closed',
};
const PERIOD_MS = 1_000;
/** How many failed payments are logged one by one in a period; the rest is counted. */
const MOST_FAILURES = 20;

/** `elapsed`: milliseconds. Sums are logged with the first commit after a period, without a timer. */
export function createAudit({ log, elapsed }: { log: Log; elapsed(): number }): Audit {
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
    toldAt = elapsed();
    for (const [token, sums] of paid) log.info({ token, ...textsOf(sums) }, 'payments');
    if (failures > MOST_FAILURES)
      log.info({ count: failures - MOST_FAILURES }, 'more payments failed');
    paid.clear();
    failures = 0;
  }

  return {
    note({ logs, payments, mediations, alerts }) {
      for (const { alert, channel, detail } of alerts)
        log.error({ channel, alert, detail }, ALERTS[alert]);
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
      if (elapsed() - toldAt >= PERIOD_MS) tell();
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

const NOTHING: Paid = {
  sent: 0,
  sentSum: 0n,
  received: 0,
  receivedSum: 0n,
  mediated: 0,
  fees: 0n,
};

/** The log fields of the sums, without those that are zero. */
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
    // These logs belong to no channel, so they are not among the batch's channel logs.
    case 'chain.tokenNetworkCreated':
    case 'chain.secretRevealed':
      return null;
  }
}
