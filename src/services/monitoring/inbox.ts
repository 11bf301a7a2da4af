/** Takes the requests that nodes broadcast into the database: many in one commit, and a limited number. */

import type { Log } from '../../basics/environment.ts';
import type { Fault } from '../../basics/fault.ts';
import { createStatementIntake } from '../../node/routing/statement-intake.ts';
import type { Transport } from '../../partner/transport.ts';
import type { SignedServiceMessage } from '../../protocol/services/service-message-types.ts';
import type { ServiceDatabase } from '../base/database.ts';
import {
  channelKey,
  LONGEST_WAIT_MS,
  type MonitoringBook,
  type RequestMonitoring,
} from './book.ts';
import { cheapRefusal, judge, type MonitoringTerms, NO_REFUSALS } from './judge.ts';
import { createUnjudged } from './unjudged.ts';

export type InboxOptions = {
  transport: Transport;
  database: ServiceDatabase;
  book: MonitoringBook;
  terms: MonitoringTerms;
  confirmedBlock(): bigint;
  /** Whether the service could do what it is asked for. */
  takesOn(): boolean;
  /** Milliseconds since 1970. */
  now(): number;
  log: Log;
  fault: Fault;
  /** Called after a commit of requests. */
  onKept(): void;
  onFatal(reason: string, error: unknown): void;
};
/** How many requests had which result, since the start. */
const NO_COUNTS = {
  ...{ kept: 0, waiting: 0, no_room: 0, malformed: 0, not_registered: 0 },
  ...NO_REFUSALS,
};

/** Most requests in one commit: each costs three signature checks, and blocks have to be handled in between. */
const LARGEST_COMMIT = 40;
const REPORT_MS = 60_000;

/** Starts to listen. */
export function openInbox(options: InboxOptions) {
  const { transport, database, book, terms, log } = options;
  const unjudged = createUnjudged<RequestMonitoring>();
  let hasFailed = false;
  let reportedAt = 0;
  const counts = { ...NO_COUNTS };

  function take(signed: SignedServiceMessage): void {
    if (hasFailed || !isRequest(signed)) return;
    if (!options.takesOn()) {
      counts.not_registered += 1;
      return;
    }
    const { message } = signed;
    const known = book.known(signed, options.confirmedBlock());
    const reason = cheapRefusal(message, terms, known);
    if (reason !== null) {
      counts[reason] += 1;
      return;
    }
    const wasEmpty = unjudged.size() === 0;
    if (!unjudged.add(known.channel === null ? null : slotOf(signed), signed)) counts.no_room += 1;
    else if (wasEmpty) setImmediate(judgeAll);
  }

  /** Called inside the transaction. */
  function judgeOne(signed: RequestMonitoring): void {
    const known = book.known(signed, options.confirmedBlock());
    const verdict = judge(signed, terms, known);
    const sender = signed.message.nonClosingParticipant;
    if (verdict.kind === 'refuse') {
      counts[verdict.reason] += 1;
    } else if (verdict.kind === 'keep') {
      counts.kept += 1;
      book.keep(signed, verdict.partner, null);
    } else if (known.nonce === 0n && !book.canWait(sender)) {
      counts.no_room += 1;
    } else {
      counts.waiting += 1;
      book.keep(signed, verdict.partner, options.now());
    }
  }

  function judgeAll(): void {
    if (hasFailed) return;
    const batch = unjudged.take(LARGEST_COMMIT);
    if (unjudged.size() > 0) setImmediate(judgeAll);
    try {
      database.write(() => {
        book.forgetWaiting(options.now() - LONGEST_WAIT_MS);
        for (const signed of batch) judgeOne(signed);
      });
    } catch (error) {
      fail(error);
      return;
    }
    options.fault('request.stored');
    report();
    options.onKept();
  }

  /** Logs the counts from time to time: a line for each request would let strangers fill the disk. */
  function report(): void {
    if (options.now() - reportedAt < REPORT_MS) return;
    reportedAt = options.now();
    log.info({ ...counts }, 'requests to monitor, since the start');
  }

  function fail(error: unknown): void {
    hasFailed = true;
    options.onFatal('requests could not be written down', error);
  }

  function hear(signed: SignedServiceMessage): void {
    try {
      take(signed);
    } catch (error) {
      fail(error);
    }
  }
  const onRefused = () => {
    counts.malformed += 1;
  };
  transport.onBroadcast('monitoring', createStatementIntake({ now: options.now, hear, onRefused }));

  return {
    /** Stops: nothing is written any more. */
    stop(): void {
      hasFailed = true;
    },
  };
}

/** The channel and the participant that the request names, not yet proven. */
function slotOf({ message }: RequestMonitoring): string {
  const { tokenNetwork, channelId } = message.proof;
  return `${channelKey(tokenNetwork, channelId)} ${message.nonClosingParticipant}`;
}

function isRequest(signed: SignedServiceMessage): signed is RequestMonitoring {
  return signed.message.type === 'RequestMonitoring';
}
