/** One machine of a replicated node: what its processes do before they begin the node, as `sluice node` does it. */
import { describeOwner } from '../../replica/find-end.ts';
import { ownStream } from '../../replica/ownership.ts';
import { encodePosition } from '../../replica/position.ts';
import type { RecordKeys } from '../../replica/record.ts';
import { createStandby, type StandbyEnd } from '../../replica/standby.ts';
import { createRecordWriter } from '../../replica/writer.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import type { Replay } from '../../store/durability/replay.ts';
import type { Disk } from '../disk/disk.ts';
import type { Claimed } from '../node/machine-options.ts';
import type { Process } from '../node/process.ts';
import { type Audit, ORIGIN } from './audit.ts';
import { auditedStore } from './audited-store.ts';
import type { Way } from './stream.ts';
import { streamOf } from './way.ts';

export type Seat = ReturnType<typeof createSeat>;
type Options = {
  name: string;
  stamp: Stamp;
  keys: RecordKeys;
  way: Way;
  audit: Audit;
  isStandby: boolean;
  /** Milliseconds of silence after which a standby takes over; null: only when it is told to. */
  takeoverAfterMs: number | null;
  /** An empty disk. */
  makeDisk(): Disk;
  /** Asks the owner to write nothing until the returned function is called. */
  quieten(): () => void;
  note(text: string): void;
  /** A process of this machine owns the stream now. */
  onOwner(): void;
  /** A process of this machine has ended, and may be started again. */
  onEnd(): void;
};

type Taking = Pick<Extract<StandbyEnd, { type: 'due' }>, 'takesFrom' | 'isOrdered'>;

const SCHEMA = '1';
const RETRY_MS = 2_000;

const ALWAYS = {
  isWaitedFor: () => true,
  /** The network brings standbys itself. */
  standby: { look: async () => {}, missingSince: () => undefined },
};

export function createSeat(options: Options) {
  const { name, stamp, keys, way, audit, note } = options;
  let disk = options.makeDisk();
  let { isStandby } = options;
  let order = new AbortController();
  /** The tags of the batches that the present process has written and not carried out, oldest first. */
  let written: string[] = [];
  /** Of the process that owned the stream last: makes it write nothing for a moment. */
  let hold = () => {};

  /** The machine's disk is gone, with all that was on it: an empty one takes its place. */
  function replaceDisk() {
    disk = options.makeDisk();
    isStandby = true;
  }

  async function own(process: Process, taking: Taking): Promise<Claimed | null> {
    const stream = streamOf(process, way.stream);
    const replay = disk.replay(stamp);
    const { now } = process.clock;
    const owner = { host: name, pid: process.run, time: now(), version: '0.0.0', schema: SCHEMA };
    const { takesFrom, isOrdered } = taking;
    const quieten = isOrdered ? async () => options.quieten() : null;
    const owned = await ownStream({ stream, keys, replay, owner, takesFrom, quieten });
    replay.close();
    if (!owned.ok && owned.problem === 'unfit' && process.isAlive())
      audit.unfit(name, owned.message);
    if (!owned.ok) {
      note(`does not own the stream: ${owned.problem}: ${owned.message}`);
      if (owned.owner !== undefined) note(describeOwner(owned.owner));
      if (['taken_over', 'diverged', 'foreign', 'forgotten'].includes(owned.problem))
        isStandby = true;
      return null;
    }
    // Everything that is on its way is noted: simulated records are small.
    if (owned.hasGap) throw new Error('replica: the stream lacks what cannot be sent again');
    const { epoch, start } = owned;
    note(`owns the stream from record ${start.sequence} on`);
    const writer = createRecordWriter({
      stream,
      keys,
      epoch,
      start,
      mode: 'sync',
      clock: process.clock,
      onTrouble() {},
      onTaken() {
        isStandby = true;
        process.fence('another node has taken the stream');
        options.onEnd();
      },
    });
    hold = writer.hold;
    written = [];
    const onWritten = (tag: string) => void written.push(tag);
    const store = auditedStore({
      name,
      disk,
      stamp,
      audit,
      process,
      onWritten,
      replica: writer.replica,
    });
    options.onOwner();
    const { trouble, isEnded } = writer;
    const hasTakenOver = takesFrom !== null;
    return { store, replica: { trouble, isEnded, hasTakenOver, ...ALWAYS } };
  }

  /** Follows the stream until something ends that. */
  async function follow(process: Process): Promise<StandbyEnd> {
    const replay = disk.replay(stamp);
    if (replay.place() === null) beginWith(replay);
    if (order.signal.aborted) order = new AbortController();
    const standby = createStandby({
      stream: streamOf(process, way.stream),
      keys,
      replay,
      schema: SCHEMA,
      takeoverAfterMs: options.takeoverAfterMs,
      clock: process.clock,
      order: order.signal,
      stop: process.stop,
      onTrouble: (message) => note(`cannot follow the stream: ${message}`),
    });
    const end = await standby.run();
    replay.close();
    return end;
  }

  async function standBy(process: Process): Promise<Claimed | null> {
    for (;;) {
      const end = await follow(process);
      if (end.type === 'stopped') return null;
      if (end.type === 'problem') {
        note(`builds its disk again: ${end.message}`);
        replaceDisk();
      } else {
        note('takes over');
        const claimed = await own(process, end);
        if (claimed !== null) return claimed;
      }
      await pause(process, RETRY_MS);
    }
  }

  return {
    name,
    way,
    disk: () => disk,
    replaceDisk,
    isStandby: () => isStandby,
    /** Orders a standby to take over; one that is not following yet does so as soon as it is. */
    order: () => order.abort(),
    /** Another machine of the node wants to take over, and asks this one to make room. */
    hold: () => hold(),
    /** The process carries out the oldest batch that it has written. */
    performs: () => audit.performs(name, written.shift()),
    async claim(process: Process): Promise<Claimed | null> {
      const claimed = isStandby
        ? await standBy(process)
        : await own(process, { takesFrom: null, isOrdered: false });
      if (claimed === null) options.onEnd();
      return claimed;
    },
  };
}

/** An empty disk follows the stream from its first record on. */
function beginWith(replay: Replay) {
  const place = { at: ORIGIN, acknowledged: ORIGIN, epoch: 0, isOwner: false, onTheWay: [] };
  replay.apply({ writes: [], from: null, to: encodePosition(place) });
}

function pause({ clock }: Process, ms: number) {
  return new Promise<void>((resolve) => {
    const stop = clock.every(ms, () => {
      stop();
      resolve();
    });
  });
}
