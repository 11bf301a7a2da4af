/** Copies of disks that are made during a run, so that an old one can be put back later. */
import type { Fault } from '../../scenario/schema/trouble.ts';

export type OldCopy = Extract<Fault, { kind: 'disk_old_copy' }>;
type Wanted = { fault: OldCopy; targets: readonly number[] };
type Copy = { block: number; putBack: () => void };

/** When it is not known when a copy will be put back, so many copies are made within the age that it must have. */
const COPIES_WITHIN_AGE = 4;

export function createCopies(wanted: readonly Wanted[], copy: (index: number) => () => void) {
  const kept = new Map<string, Copy[]>();
  let now = 0;
  const keyOf = ({ fault }: Pick<Wanted, 'fault'>, index: number) =>
    `${wanted.findIndex((one) => one.fault === fault)} ${index}`;

  function isDue({ fault: { when, age } }: Wanted): boolean {
    if (when.kind === 'once') return now === Math.max(0, Number(when.atBlock - age));
    return now % Math.max(1, Math.floor(Number(age) / COPIES_WITHIN_AGE)) === 0;
  }

  return {
    /** The next block; `block` is its number as the scenario counts. */
    block(block: number) {
      now = block;
      for (const one of wanted.filter(isDue))
        for (const index of one.targets) {
          const copies = kept.get(keyOf(one, index)) ?? [];
          copies.push({ block, putBack: copy(index) });
          if (copies.length > COPIES_WITHIN_AGE + 2) copies.shift();
          kept.set(keyOf(one, index), copies);
        }
    },
    /** The function that puts back the newest copy that is as old as the fault says; null: there is none yet. */
    of(fault: OldCopy, index: number): (() => void) | null {
      const copies = kept.get(keyOf({ fault }, index)) ?? [];
      const latest = fault.when.kind === 'once' ? now : now - Number(fault.age);
      return copies.findLast(({ block }) => block <= latest)?.putBack ?? null;
    },
  };
}
