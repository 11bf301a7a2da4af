/**
 * How much may wait for one partner. A partner that takes payments and never acknowledges them would fill memory, disk and
 * every start; so at the bound it gets no further lock. What it can still make this node say is bounded by the locks that
 * are pending then.
 */
import type { ChannelContext, MadeChange } from '../../../../machines/channel/context.ts';
import type { Actors } from '../actors/actors.ts';
import { channelState } from '../actors/channel-states.ts';
import { type Bounded, type Bounds, USUAL } from '../knowledge/bounds.ts';
import type { LockRule } from '../knowledge/lock-gate.ts';
import type { Backlog, Outbox } from './outbox.ts';

/** About what a change takes in its message besides metadata. */
const CHANGE_BYTES = 640;

/** The bound that the backlog has met; null: none. */
function boundMet({ rows, bytes }: Backlog, { waitingRows, waitingBytes }: Bounds) {
  if (rows >= waitingRows) return 'waitingRows';
  return bytes >= waitingBytes ? 'waitingBytes' : null;
}

/**
 * Refuses locks in a channel whose partner does not acknowledge, and for a payer whose transfers take too much of it:
 * metadata is passed on, and chosen by who gave it. A payer gets as many bytes of a channel as it leaves free, so that
 * others can still pay through it, and what it gives through others costs it nothing there.
 *
 * `unsignedIn`: the changes of a channel that are in no message yet. One batch may hold more of them than all messages.
 */
export function backlogRule(
  outbox: Pick<Outbox, 'backlog' | 'givenBy'>,
  unsignedIn: (channel: string) => readonly MadeChange[],
  bounds = USUAL,
): LockRule {
  return (question) => {
    const { kind, channel } = question;
    if (kind === 'receive') return null;
    const { rows, bytes } = outbox.backlog(channel);
    const unsigned = unsignedIn(channel);
    const backlog = { rows, bytes: bytes + bytesOf(unsigned) };
    const met = boundMet(backlog, bounds.of);
    if (met !== null) {
      bounds.met(met);
      return 'partner_silent';
    }
    if (kind === 'own') return null;
    const { partner } = question.asked.payer;
    const given =
      outbox.givenBy(channel, partner) + bytesOf(unsigned.filter(({ giver }) => giver === partner));
    if (given < bounds.of.waitingBytes - backlog.bytes) return null;
    bounds.met('waitingBytes');
    return 'too_many_locks';
  };
}

const bytesOf = (changes: readonly MadeChange[]): number =>
  changes.reduce((sum, { change }) => sum + CHANGE_BYTES + metadataBytes(change), 0);

const metadataBytes = (change: MadeChange['change']): number =>
  'metadata' in change ? Buffer.byteLength(change.metadata) : 0;

/** The channels in which no lock is given because of that. */
export function silentChannels(
  outbox: Pick<Outbox, 'backlog' | 'queues'>,
  actors: Pick<Actors, 'stateOf'>,
  { of }: Bounded,
): Pick<ChannelContext, 'partner' | 'token'>[] {
  return outbox
    .queues()
    .filter((queue) => boundMet(outbox.backlog(queue), of) !== null)
    .map((queue) => channelState(actors, queue)?.channel)
    .filter((channel) => channel !== undefined);
}
