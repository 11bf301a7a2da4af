/**
 * Of each channel that is left on chain a node's disk has the newest step of either side, in the steps and in the channel's
 * own row, and what the node has signed for as long as the partner has not taken it.
 */

import * as v from 'valibot';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Batch } from '../../../store/base/batch.ts';
import { decode } from '../../../store/base/codec.ts';
import type { ChannelOnDisk } from '../../disk/disk.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Side = 'own' | 'partner';
type Needs = Pick<Facts, 'channelOf' | 'machine'> & {
  /** What the disk of this node has of a channel; null: nobody can look into it. */
  onDisk(who: string, channel: string): ChannelOnDisk | null;
  /** The newest step of the node that its partner has not taken; null: it has taken all, or nothing comes any more. */
  untaken(who: string, channel: string): bigint | null;
};
/** The nonces of the newest steps. */
type Newest = { who: string; channel: string } & Record<Side, bigint>;

/** What changed is looked at after so many blocks: each look reads the row of a channel. */
const EACH = 8n;
const STATE = v.looseObject({
  context: v.looseObject({
    ownEnd: v.looseObject({ nonce: v.bigint() }),
    partnerProof: v.nullable(v.looseObject({ nonce: v.bigint() })),
  }),
});

export function createKeeping({ channelOf, machine, onDisk, untaken }: Needs): Oracle {
  const steps = new Map<string, Newest>();
  const changed = new Set<string>();

  function note(who: string, { proofs, gone }: Batch) {
    for (const { channel, side, nonce } of proofs) {
      const key = `${who} ${channel}`;
      const newest = getOrMake(steps, key, () => ({ who, channel, own: 0n, partner: 0n }));
      if (nonce > newest[side]) newest[side] = nonce;
      changed.add(key);
    }
    for (const channel of gone) steps.delete(`${who} ${channel}`);
  }

  function check({ who, channel, ...newest }: Newest) {
    const state = channelOf(channel)?.state;
    const kept = machine(who) === null ? null : onDisk(who, channel);
    if (kept === null || (state !== 'opened' && state !== 'closed')) return;
    for (const side of ['own', 'partner'] as const) {
      const has = kept.row === null ? -1n : nonceIn(kept.row, side);
      const least = kept.steps[side] < has ? kept.steps[side] : has;
      if (least >= newest[side]) continue;
      const text = `${who} has only ${least} of ${newest[side]} steps of its`;
      throw new Violation(19, who, `${text} ${side} side of ${channel} on its disk`);
    }
    const owed = state === 'opened' ? untaken(who, channel) : null;
    if (owed === null || kept.waiting.includes(owed)) return;
    throw new Violation(19, who, `${who} has not kept what it owes as ${owed} of ${channel}`);
  }

  function look(keys: Iterable<string>) {
    for (const key of keys) {
      const newest = steps.get(key);
      if (newest !== undefined) check(newest);
    }
    changed.clear();
  }

  return {
    commit: note,
    block({ number }) {
      if (number % EACH === 0n) look(changed);
    },
    end: () => look(steps.keys()),
  };
}

function nonceIn(row: string, side: Side): bigint {
  const { context } = v.parse(STATE, decode(row));
  return side === 'own' ? context.ownEnd.nonce : (context.partnerProof?.nonce ?? 0n);
}
