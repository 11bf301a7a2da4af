/** A replicated node: two machines with one key and a stream. It is used as if it were one machine. */
import type { Hash } from '../../basics/hex.ts';
import type { Transport } from '../../partner/transport.ts';
import type { RecordKeys } from '../../replica/record.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { Stamp } from '../../store/base/stamp.ts';
import type { Disk } from '../disk/disk.ts';
import { Violation } from '../invariants/violation.ts';
import type { Machine } from '../node/machine.ts';
import type { MachineOptions, MachineWatcher } from '../node/machine-options.ts';
import type { Draw } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Trace } from '../world/trace.ts';
import { createAudit } from './audit.ts';
import { createSeat, type Seat } from './seat.ts';
import { createSimulatedStream } from './stream.ts';

export type Site = ReturnType<typeof createSite>;
type Options = {
  name: string;
  stamp: Stamp;
  keys: RecordKeys;
  scheduler: Scheduler;
  trace: Trace;
  draw: Draw;
  /** Of the node, whichever machine it runs on. */
  watcher: MachineWatcher;
  takeoverAfterMs: number | null;
  /** Milliseconds until a machine whose process has ended starts it again. */
  restartMs: number;
  join: MachineOptions['join'];
  makeDisk(name: string): Disk;
  /** `onSend`: to be called with each transaction that the machine gives to its endpoint. */
  makeMachine(
    own: Pick<MachineOptions, 'name' | 'disk' | 'join' | 'watcher' | 'claim'>,
    onSend: (hash: Hash) => void,
  ): Machine;
};
type Place = { seat: Seat; machine: Machine };

export function createSite(options: Options) {
  const { name, scheduler, trace, watcher } = options;
  const stream = createSimulatedStream({
    scheduler,
    draw: options.draw,
    onTaken: (sequence, bytes) => audit.taken(sequence, bytes),
  });
  const audit = createAudit({
    name,
    keys: options.keys,
    now: scheduler.now,
    onBatch: judged,
    onViolation: (violation) => watcher.onViolation(violation),
  });
  const [first, second] = [placeOf(name, false), placeOf(`${name} standby`, true)];
  const places = [first, second];
  /** The place of the process that has owned the stream last. */
  let active = first;
  let paused: Place | null = null;

  /** The stream has the batch. A violation was reported before it was thrown, and there is nobody to stop. */
  function judged(batch: Batch) {
    try {
      watcher.onCommit(batch);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
    }
  }

  /** The same transport; the audit knows who speaks. */
  const saying = (transport: Transport, own: string): Transport => ({
    ...transport,
    publish: (to, payload) => audit.says(own, () => transport.publish(to, payload)),
  });

  function placeOf(own: string, isStandby: boolean): Place {
    const seat = createSeat({
      ...options,
      name: own,
      isStandby,
      way: stream.connect(),
      audit,
      makeDisk: () => options.makeDisk(own),
      quieten() {
        if (!active.seat.way.faults.isCut) active.seat.hold();
        return () => {};
      },
      note: (text) => trace.note(own, text),
      onOwner() {
        active = place;
      },
      onEnd: () => later(place),
    });
    const onSend = (hash: Hash) => audit.sends(own, seat.disk(), hash);
    const machine = options.makeMachine(
      {
        name: own,
        claim: seat.claim,
        join: (...process) => saying(options.join(...process), own),
        disk: {
          open: () => seat.disk().open(options.stamp),
          crash: (lost) => seat.disk().crash(lost),
          writes: () => seat.disk().writes(),
        },
        watcher: {
          ...watcher,
          onPoint(point) {
            if (point === 'commit.after') seat.performs();
            watcher.onPoint(point);
          },
          onDeath() {
            watcher.onDeath();
            later(place);
          },
          onFatal(reason, error, kind) {
            if (active === place) watcher.onFatal(reason, error, kind);
            else machine.kill(reason);
          },
        },
      },
      onSend,
    );
    const place = { seat, machine };
    return place;
  }

  /** The one that does not own the stream. */
  const other = () => (active === first ? second : first);

  /** Starts the machine again, as a supervisor does. */
  function later({ machine }: Place) {
    scheduler.after(options.restartMs, () => {
      if (!machine.isUp()) machine.start();
    });
  }

  /** While no machine works, the owner tells one and then the other to take over: the first may not be able to. */
  function lead(place: Place) {
    place.seat.order();
    scheduler.after(options.restartMs, () => {
      if (places.some(({ machine }) => machine.node() !== null)) return;
      lead(place === first ? second : first);
    });
  }

  return {
    stream,
    audit,
    /** The machine that owns the stream, or did so last. */
    active: () => active,
    other,
    machine: {
      ...first.machine,
      name,
      start() {
        // A machine that has taken over starts as a standby again: if none takes over by itself, its owner tells one.
        const isLeft = active.seat.isStandby() && active.machine.node() === null;
        if (isLeft && options.takeoverAfterMs === null) lead(other());
        for (const { machine } of places) if (!machine.isUp()) machine.start();
      },
      kill: (why: string) => active.machine.kill(why),
      node: () => active.machine.node(),
      isUp: () => places.some(({ machine }) => machine.isUp()),
      dieAt: (point: string, nth: number) => active.machine.dieAt(point, nth),
      spare() {
        for (const { machine } of places) machine.spare();
      },
      call: (work: () => void) => active.machine.call(work),
      stop: () => active.machine.stop(),
      reopen: (work) => active.machine.reopen(work),
      pause() {
        paused = active;
        paused.machine.pause();
      },
      resume: () => paused?.machine.resume(),
      listenBadly: () => active.machine.listenBadly(),
    } satisfies Machine,
  };
}
