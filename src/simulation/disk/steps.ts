/** The signed steps of the channels on a disk in memory; of each side only the newest are kept. */
import type { RecordProof, SignedChange } from '../../../machines/effects.ts';
import type { Hash } from '../../basics/hex.ts';
import type { Side } from '../../store/tables/steps.ts';
import type { Undo } from './undo.ts';

export type Steps = {
  /** Throws when the side has signed another step with this nonce: such a step must never reach the disk. */
  put(step: RecordProof): void;
  /** The kept steps of a side below the nonce, newest first; the steps that added a pending lock are always kept. */
  below(channel: string, side: Side, nonce: bigint): RecordProof[];
  newest(channel: string, side: Side): RecordProof | null;
  find(channel: string, side: Side, balanceHash: Hash): RecordProof | null;
  /** The steps of a channel are those of `name` from now on. */
  rename(channel: string, name: string): void;
  /** Forgets so many steps of a channel, in order of side and nonce; answers how many there were to forget. */
  cut(channel: string, most: number): number;
  copy(): ReadonlyMap<string, Kept>;
  restore(copy: ReadonlyMap<string, Kept>): void;
};
type Kept = Record<Side, SideSteps>;
/**
 * `steps` in order of nonce. Of older steps only the highest nonce is kept (`forgotten`), and of those that added a
 * lock that no forgotten step removed this change, by the lock's secrethash: `locksAt` needs them.
 */
type SideSteps = { steps: RecordProof[]; forgotten: bigint; added: Map<Hash, Added> };
type Added = { step: RecordProof; change: SignedChange };

/** `limit`: how many steps of a side are kept; up to a quarter more, so that not every step moves the list. */
export function createSteps(undo: Undo, limit: number): Steps {
  let channels = new Map<string, Kept>();

  function sideOf(channel: string, side: Side): SideSteps {
    const known = channels.get(channel);
    if (known !== undefined) return known[side];
    const kept = { own: noSteps(), partner: noSteps() };
    undo.note(() => void channels.delete(channel));
    channels.set(channel, kept);
    return kept[side];
  }

  function forget(kept: SideSteps): void {
    const { forgotten, added } = kept;
    const gone = kept.steps.splice(0, kept.steps.length - limit);
    undo.note(() => {
      kept.steps.unshift(...gone);
      kept.forgotten = forgotten;
      kept.added = added;
    });
    kept.forgotten = gone.at(-1)?.nonce ?? forgotten;
    if (gone.some(({ changes }) => changes.length > 0)) kept.added = addedAfter(added, gone);
  }

  return {
    put(step) {
      const kept = sideOf(step.channel, step.side);
      const { steps } = kept;
      const at = placeOf(steps, step.nonce);
      if (step.nonce <= kept.forgotten || steps[at - 1]?.nonce === step.nonce)
        throw new Error(`disk: ${step.channel} has an ${step.side} step with nonce ${step.nonce}`);
      undo.note(() => void steps.splice(at, 1));
      if (at === steps.length) steps.push(step);
      else steps.splice(at, 0, step);
      if (steps.length > limit * 1.25) forget(kept);
    },
    below(channel, side, nonce) {
      const kept = channels.get(channel)?.[side];
      if (kept === undefined) return [];
      const steps = kept.steps.slice(0, placeOf(kept.steps, nonce - 1n)).reverse();
      return [...steps, ...addingSteps(kept.added).filter((step) => step.nonce < nonce)];
    },
    newest: (channel, side) => channels.get(channel)?.[side].steps.at(-1) ?? null,
    find: (channel, side, balanceHash) =>
      channels.get(channel)?.[side].steps.findLast((step) => step.balanceHash === balanceHash) ??
      null,
    rename(channel, name) {
      const kept = channels.get(channel);
      if (kept === undefined) return;
      undo.note(() => {
        channels.delete(name);
        channels.set(channel, kept);
      });
      channels.delete(channel);
      channels.set(name, kept);
    },
    cut(channel, most) {
      const before = channels.get(channel);
      if (before === undefined) return 0;
      const own = before.own.steps.length;
      const count = Math.min(most, own + before.partner.steps.length);
      undo.note(() => void channels.set(channel, before));
      if (count < most) channels.delete(channel);
      else
        channels.set(channel, {
          own: { ...before.own, steps: before.own.steps.slice(count) },
          partner: {
            ...before.partner,
            steps: before.partner.steps.slice(Math.max(0, count - own)),
          },
        });
      return count;
    },
    copy: () => copyOf(channels),
    restore(copy) {
      channels = copyOf(copy);
    },
  };
}

function noSteps(): SideSteps {
  return { steps: [], forgotten: -1n, added: new Map() };
}

/** How many of the steps, which are in order, have this nonce or a lower one. */
function placeOf(steps: readonly RecordProof[], nonce: bigint): number {
  let at = steps.length;
  for (let last = steps[at - 1]; last !== undefined && last.nonce > nonce; last = steps[at - 1])
    at -= 1;
  return at;
}

/** The additions that none of these steps undid. */
function addedAfter(
  before: ReadonlyMap<Hash, Added>,
  gone: readonly RecordProof[],
): Map<Hash, Added> {
  const added = new Map(before);
  for (const step of gone)
    for (const change of step.changes) {
      added.delete(change.secrethash);
      if (change.kind === 'add') added.set(change.secrethash, { step, change });
    }
  return added;
}

/** The steps of these additions, newest first, without their other changes. */
function addingSteps(added: ReadonlyMap<Hash, Added>): RecordProof[] {
  const steps = new Map<RecordProof, SignedChange[]>();
  for (const { step, change } of added.values())
    steps.set(step, [...(steps.get(step) ?? []), change]);
  return [...steps].map(([step, changes]) => ({ ...step, changes })).reverse();
}

function copyOf(channels: ReadonlyMap<string, Kept>): Map<string, Kept> {
  const side = ({ steps, ...kept }: SideSteps): SideSteps => ({ ...kept, steps: [...steps] });
  const copies = [...channels].map(
    ([id, { own, partner }]) => [id, { own: side(own), partner: side(partner) }] as const,
  );
  return new Map(copies);
}
