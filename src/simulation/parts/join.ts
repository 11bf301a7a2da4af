/** Joins one part of a run to the others: what they say to it, and what all have sent to the chain, comes when it is due. */
import type { Address, Hex } from '../../basics/hex.ts';
import { RpcError } from '../chain/rpc-error.ts';
import type { Network } from '../network/network.ts';
import type { Scheduler } from '../world/scheduler.ts';
import { type Abroad, type Letter, parcelsIn } from './abroad.ts';
import { createGate, type Word } from './gate.ts';
import { createMeeting, type Seat } from './meeting.ts';

type Options = {
  seat: Seat;
  abroad: Abroad;
  windowMs: number;
  scheduler: Scheduler;
  network: Pick<Network, 'arriveFromAbroad'>;
  /** A transaction reaches the chain of this part. */
  submit(raw: Hex): void;
  /** A payload for a node of this part is on its way to it. */
  onComing(from: Address, to: Address, payload: Uint8Array): void;
};

export function joinParts(options: Options) {
  const { seat, abroad, windowMs, scheduler, network, onComing } = options;
  const at = (ms: number, work: () => void) => void scheduler.after(ms - scheduler.now(), work);

  function submit(raw: Hex) {
    try {
      options.submit(raw);
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
