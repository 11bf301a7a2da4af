/**
 * A node that closes a channel signs nothing more in it, neither a transfer nor a withdrawal; unless the close
 * fails, and the channel is as open as before.
 */

import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import type { RecordProof } from '../../../../machines/effects.ts';
import { channelTags } from '../../../../machines/tags.ts';
import { stateIn } from '../../../node/runtime/actors/kinds.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import type { Batch, OutboxRow } from '../../../store/base/batch.ts';
import type { Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

const CLOSE = 'close:';
/** Part of the body of a withdraw request. */
const REQUEST = '"WithdrawRequest"';

export function createFarewells(): Oracle {
  /** The highest nonce that each node has signed, by machine and channel. */
  const newest = new Map<string, bigint>();
  /** The highest nonce when the node began to close the channel. */
  const last = new Map<string, bigint>();
  /** The channels that are being closed, by machine and job. */
  const closing = new Map<string, string>();

  function signs(key: string, nonce: bigint) {
    if (nonce > (newest.get(key) ?? 0n)) newest.set(key, nonce);
  }

  function check(who: string, channel: string, nonce: bigint, what: string) {
    const most = last.get(`${who} ${channel}`);
    if (most === undefined || nonce <= most) return;
    throw new Violation(18, who, `${who} ${what} in ${channel}, which it is closing`);
  }

  function step(who: string, { side, channel, nonce, changes }: RecordProof) {
    if (side === 'partner') return;
    if (changes.some(({ kind }) => kind === 'add')) check(who, channel, nonce, 'signs a transfer');
    signs(`${who} ${channel}`, nonce);
  }

  function post(who: string, { queue, nonce, body }: OutboxRow) {
    if (queue === null || nonce === null) return;
    if (body.includes(REQUEST)) check(who, queue, nonce, 'asks for a withdrawal');
    signs(`${who} ${queue}`, nonce);
  }

  function forget(who: string) {
    for (const key of last.keys()) if (key.startsWith(`${who} `)) last.delete(key);
  }

  /** The closing job has ended; when it did not close the channel, the node may sign again. */
  function ended(who: string, job: string, actors: Batch['actors']) {
    const channel = closing.get(`${who} ${job}`);
    closing.delete(`${who} ${job}`);
    const row = actors.find(({ id }) => id === channel);
    if (row === undefined || !channelTags(stateIn(row).value).has('takesLocks')) return;
    last.delete(`${who} ${channel}`);
  }

  function commit(who: string, { actors, proofs, outbox, jobs, jobsDone, fork }: Batch) {
    if (fork !== null) forget(who);
    for (const job of jobsDone) ended(who, job, actors);
    for (const proof of proofs) step(who, proof);
    for (const row of outbox) post(who, row);
    for (const { key, actor } of jobs) {
      if (!key.startsWith(CLOSE)) continue;
      const place = `${who} ${actor}`;
      closing.set(`${who} ${key}`, actor);
      if (!last.has(place)) last.set(place, newest.get(place) ?? 0n);
    }
  }

  function says(who: string, message: Message) {
    if (message.type !== 'WithdrawConfirmation') return;
    const channel = channelActorId(message);
    check(who, channel, message.nonce, 'agrees to a withdrawal');
    signs(`${who} ${channel}`, message.nonce);
  }

  return { commit, says: (who, _, message) => says(who, message), replaced: forget };
}
