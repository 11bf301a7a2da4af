/** What nodes broadcast, on its way into the database: many requests in one commit, a bounded number. */
import type { Log } from '../../node/parts.ts';
import type { Transport } from '../../partner/transport.ts';
import {
  decodeServiceMessages,
  type SignedServiceMessage,
} from '../../protocol/service-messages.ts';
import type { ServiceDatabase } from '../base/database.ts';
import { type Book, LONGEST_WAIT_MS, type RequestMonitoring } from './book.ts';
import { judge, type Refusal, type Terms } from './judge.ts';

export type InboxOptions = {
  transport: Transport;
  database: ServiceDatabase;
  book: Book;
  terms: Terms;
  confirmedBlock(): bigint;
  /** Milliseconds since 1970. */
  now(): number;
  log: Log;
  fault(point: string): void;
  /** Something was kept. */
  onKept(): void;
  onFatal(reason: string, error: unknown): void;
};
/** What became of the requests, since the start. */
type Counts = Record<Refusal | 'kept' | 'waiting' | 'no_room' | 'malformed', number>;

/** Requests that are not judged yet: what is above is dropped. A node that starts asks for all its channels. */
const MOST_UNJUDGED = 20_000;
/** Requests in one commit: each costs three signatures, and blocks have to be handled in between. */
const LARGEST_COMMIT = 200;
const REPORT_MS = 60_000;

/** Listens from now on. */
export function openInbox(options: InboxOptions) {
  const { transport, database, book, terms, log } = options;
  let unjudged: RequestMonitoring[] = [];
  let hasFailed = false;
  let reportedAt = 0;
  const counts = noCounts();

  function take(signed: SignedServiceMessage): void {
    if (!isRequest(signed)) return;
    if (unjudged.length >= MOST_UNJUDGED) {
      counts.no_room += 1;
      return;
    }
    if (unjudged.length === 0) setImmediate(judgeAll);
    unjudged.push(signed);
  }

  /** In the transaction. */
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
    const batch = unjudged.slice(0, LARGEST_COMMIT);
    unjudged = unjudged.slice(LARGEST_COMMIT);
    if (unjudged.length > 0) setImmediate(judgeAll);
    try {
      database.write(() => {
        book.forgetWaiting(options.now() - LONGEST_WAIT_MS);
        for (const signed of batch) judgeOne(signed);
      });
    } catch (error) {
      hasFailed = true;
      options.onFatal('requests could not be written down', error);
      return;
    }
    options.fault('request.stored');
    report();
    options.onKept();
  }

  /** Now and then: a line for each request would let strangers fill the disk. */
  function report(): void {
    if (options.now() - reportedAt < REPORT_MS) return;
    reportedAt = options.now();
    log.info({ ...counts }, 'requests to monitor, since the start');
  }

  transport.onBroadcast('monitoring', (payload) => {
    const { messages, refused } = decodeServiceMessages(payload);
    counts.malformed += refused.length;
    for (const signed of messages) take(signed);
  });

  return {
    /** Nothing is written any more. */
    stop(): void {
      hasFailed = true;
    },
  };
}

function isRequest(signed: SignedServiceMessage): signed is RequestMonitoring {
  return signed.message.type === 'RequestMonitoring';
}

function noCounts(): Counts {
  return {
    ...{ kept: 0, waiting: 0, no_room: 0, malformed: 0 },
    ...{ other_chain: 0, other_contract: 0, unknown_token_network: 0, reward_too_low: 0 },
    ...{ empty_proof: 0, old_nonce: 0, wrong_signature: 0, stranger: 0 },
    ...{ closed_long_ago: 0, closed_by_requester: 0 },
  };
}
