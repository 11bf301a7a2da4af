/** Joins one part of a run to the others: what they say to it, and what all have sent to the chain, comes when it is due. */
import type { Address, Hex } from '../../basics/hex.ts';
import { RpcError } from '../chain/rpc-error.ts';
import type { Network } from '../network/network.ts';
import type { NodePlan } from '../scenario/topology.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { type Abroad, createAbroad, type Letter, parcelsIn } from './abroad.ts';
import { divide } from './division.ts';
import { createGate, type Word } from './gate.ts';
import { createMeeting, type Seat } from './meeting.ts';

type Needs = {
  seat: Seat;
  abroad: Abroad;
  windowMs: number;
  scheduler: Scheduler;
};
type Hooks = {
  network: Pick<Network, 'arriveFromAbroad'>;
  /** A transaction reaches the chain of this part. */
  submit(raw: Hex): void;
  /** A payload for a node of this part is on its way to it. */
  onComing(from: Address, to: Address, payload: Uint8Array): void;
};

function joinParts(needs: Needs, hooks: Hooks) {
  const { seat, abroad, windowMs, scheduler } = needs;
  const { network, onComing } = hooks;
  const at = (ms: number, work: () => void) => void scheduler.after(ms - scheduler.now(), work);

  function submit(raw: Hex) {
    try {
      hooks.submit(raw);
    } catch (error) {
      // Its sender was told that it is taken; as on a real chain, what came before can make it useless.
      if (!(error instanceof RpcError)) throw error;
    }
  }

  /** All parts have to do it in one order, that of the times and then that of the parts. */
  function deliver(letters: readonly { from: number; letter: Letter }[]) {
    const submitted = letters.flatMap(({ letter }) => letter.submitted);
    for (const { raw, atMs } of submitted.toSorted((a, b) => a.atMs - b.atMs))
      at(atMs, () => submit(raw));
    const others = letters.filter(({ from }) => from !== seat.index);
    for (const { letter } of others)
      for (const one of letter.listening) at(one.atMs, () => abroad.learn(one));
    const parcels = others.flatMap(({ letter }) => [...parcelsIn(letter)]);
    for (const { atMs, ...parcel } of parcels.toSorted((a, b) => a.atMs - b.atMs)) {
      const { from, to, payload } = parcel;
      if (to !== null && abroad.isAbroad(to)) continue;
      if (to !== null) onComing(from, to, payload);
      at(atMs, () => network.arriveFromAbroad(parcel));
    }
  }

  return createGate({
    meeting: createMeeting<Word>(seat),
    ...{ scheduler, windowMs, deliver, take: abroad.take, own: seat.index },
  });
}

type PartOptions = {
  /** Where this thread meets those that run the other parts; undefined: it runs all of the world. */
  seat: Seat | undefined;
  nodes: readonly Pick<NodePlan, 'index' | 'degree'>[];
  parts: number;
  windowMs: number;
  scheduler: Scheduler;
  /** Null: no node has the address. */
  indexOf(address: Address): number | null;
};

/** The part of the world that runs in this thread. */
export function createPart({ seat, nodes, parts, windowMs, scheduler, indexOf }: PartOptions) {
  const partOf = divide(nodes, parts);
  const isHere = (index: number) => seat === undefined || partOf[index] === seat.index;
  function isAbroad(address: Address): boolean {
    const index = indexOf(address);
    return index !== null && !isHere(index);
  }
  const abroad =
    seat === undefined ? null : createAbroad({ windowMs, now: scheduler.now, isAbroad });
  return {
    partOf,
    isHere,
    /** What goes to other parts; null: there are none. */
    abroad,
    /** How the parts keep together; null: there is one. */
    join: (hooks: Hooks) =>
      seat === undefined || abroad === null
        ? null
        : joinParts({ seat, abroad, windowMs, scheduler }, hooks),
  };
}
