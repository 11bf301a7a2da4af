/**
 * The owner's side of the stream: seals each transaction of the database as the next record, and lets nothing follow
 * from it before the stream has it. Each record goes to one place only; a node whose record is refused there is not the
 * owner any more, and stops at once.
 */
import type { Clock } from '../basics/environment.ts';
import type { Write } from '../store/durability/capture.ts';
import type { Replica } from '../store/durability/replication.ts';
import { encodePosition, MOST_ON_THE_WAY, type Sending, type StreamPoint } from './position.ts';
import { RECORD_OVERHEAD, type RecordKeys, type RecordKind, sealRecord } from './record.ts';
import type { Item } from './retained.ts';
import { createRecordSender } from './sender.ts';
import type { RecordStream, Track } from './stream.ts';
import { encodeWrites, inPieces } from './writes.ts';

/**
 * `sync`: nothing follows from a transaction before the stream has it; `async`: the stream is not waited for, unless too
 * much waits in memory for it.
 */
export type ReplicaMode = 'sync' | 'async';
export type Writer = ReturnType<typeof createRecordWriter>;

type Options = {
  stream: RecordStream;
  keys: RecordKeys;
  epoch: number;
  /** The newest record of the stream: this node's epoch. */
  start: StreamPoint;
  mode: ReplicaMode;
  clock: Clock;
  /** Called once, when another node has written behind the record `after`: this one may sign nothing any more. */
  onTaken(after: number): void;
  /** Called when the stream goes away, and with null when it is back. */
  onTrouble(message: string | null): void;
  /** For tests. Default 256 MiB. */
  mostUnsentBytes?: number;
};

/** Each commit writes them once more. */
const MOST_NOTED_BYTES = 524_288;
/** Bytes of records for a stream that is away, which the mode async keeps in memory before it waits as well. */
const MOST_UNSENT_BYTES = 256 * 1_048_576;
/** Milliseconds without a record after which the owner says that it lives, and how often it looks whether to. */
const PULSE_MS = 1_000;
const LOOK_MS = 250;

export function createRecordWriter(options: Options) {
  const { stream, keys, epoch, mode, clock, mostUnsentBytes = MOST_UNSENT_BYTES } = options;
  const sender = createRecordSender(options);
  /** The newest record that belongs to a committed transaction, or to none. */
  let head = options.start;
  /** The records of the transaction that is not committed yet. */
  let prepared: Item[] = [];
  let saidAt = clock.elapsed();
  /** How many wait for what was committed: whoever comes later does not overtake them. */
  let waiting = 0;
  const sent = { records: 0, bytes: 0 };

  const tagOf = ({ tag }: StreamPoint) => Buffer.from(tag, 'hex');

  function sealed(before: StreamPoint, kind: RecordKind, content: Uint8Array, track: Track): Item {
    const sequence = before.sequence + 1;
    const { bytes, tag } = sealRecord(
      keys,
      { kind, epoch, sequence, link: tagOf(before) },
      content,
    );
    return { bytes, point: { sequence, tag: Buffer.from(tag).toString('hex') }, track };
  }

  function sealedAll(pieces: readonly Uint8Array[]): Item[] {
    const items: Item[] = [];
    for (const [index, piece] of pieces.entries()) {
      const kind = index === pieces.length - 1 ? 'commit' : 'part';
      items.push(sealed(items.at(-1)?.point ?? head, kind, piece, 'log'));
    }
    return items;
  }

  function add(item: Item) {
    head = item.point;
    saidAt = clock.elapsed();
    sent.records += 1;
    sent.bytes += item.bytes.length;
    sender.add(item);
  }

  const endPulse = clock.every(LOOK_MS, () => {
    const isQuiet = clock.elapsed() - saidAt >= PULSE_MS;
    // A record on its way says the same.
    if (isQuiet && sender.onTheWay().length === 0 && !sender.isEnded())
      add(sealed(head, 'pulse', new Uint8Array(0), 'log'));
  });

  const isWaitedFor = () =>
    mode === 'sync' || waiting > 0 || sender.bytesOnTheWay() > mostUnsentBytes;

  const replica: Replica = {
    seal(writes: readonly Write[]): string {
      if (sender.isEnded()) throw new Error('replica: somebody else owns the stream');
      prepared = sealedAll(inPieces(encodeWrites(writes), largestContent(stream)));
      const at = prepared.at(-1)?.point ?? head;
      const onTheWay = noted([...sender.onTheWay(), ...prepared]);
      const acknowledged = sender.acknowledged();
      return encodePosition({ at, acknowledged, epoch, isOwner: true, onTheWay });
    },
    committed() {
      for (const item of prepared) add(item);
      prepared = [];
    },
    isWaitedFor,
    whenAcknowledged(done) {
      if (!isWaitedFor() && !sender.isEnded()) return done();
      waiting += 1;
      sender.whenAcknowledged(head.sequence, () => {
        waiting -= 1;
        done();
      });
    },
  };

  return {
    replica,
    epoch,
    /** Adds a record that belongs to no transaction. Resolves with its place when the stream has it. */
    send(kind: 'piece' | 'base', content: Uint8Array): Promise<StreamPoint> {
      const item = sealed(head, kind, content, kind === 'base' ? 'base' : 'log');
      add(item);
      return new Promise((resolve) => {
        sender.whenAcknowledged(item.point.sequence, () => resolve(item.point));
      });
    },
    /** Since when the stream is away, and why; null while it can be reached. */
    trouble: sender.trouble,
    /** Whether the stream is there, and lacks what only this node's database has. */
    isLost: sender.isLost,
    isEnded: sender.isEnded,
    /** See `createSender`. */
    hold: sender.hold,
    /** The newest record that the stream has acknowledged. */
    acknowledged: sender.acknowledged,
    /** Records since the start, and their bytes. */
    sent: () => ({ ...sent }),
    close(): void {
      endPulse();
      sender.close();
    },
  };
}

/**
 * What the database notes of records that the stream may not have yet: a few of them whole, so that they can be sent
 * again after a restart. Of many, the stream gets a copy of the database instead.
 */
function noted(items: readonly Item[]): Sending[] {
  const bytes = items.reduce((sum, item) => sum + item.bytes.length, 0);
  const isWhole = bytes <= MOST_NOTED_BYTES && items.every(({ track }) => track === 'log');
  if (!isWhole) return items.slice(0, MOST_ON_THE_WAY).map(({ point }) => point);
  return items.map((item) => ({
    ...item.point,
    bytes: Buffer.from(item.bytes).toString('base64'),
  }));
}

/** Bytes of content that fit into one record. */
function largestContent(stream: Pick<RecordStream, 'largestRecord'>): number {
  return stream.largestRecord() - RECORD_OVERHEAD;
}
