/** The locks that a node passes on or makes itself, checked against the rules for locks. */

import { createHash } from 'node:crypto';
import type { RecordProof, SignedChange } from '../../../../machines/effects.ts';
import { decodeLock } from '../../../protocol/channel/lock.ts';
import type { Ledger } from '../money/ledger.ts';
import { Violation } from '../violation.ts';

/** In blocks. */
type Timeouts = { reveal: bigint; settle: bigint };
type Options = Pick<Ledger, 'isInitiator'> & {
  /** Null: the channel is not open. */
  timeoutsOf(who: string, channel: string): Timeouts | null;
};

const EVERYBODY_KNOWS = `0x${createHash('sha256').update(new Uint8Array(32)).digest('hex')}`;

export function createMarginCheck({ isInitiator, timeoutsOf }: Options) {
  function check(who: string, channel: string, change: SignedChange, block: bigint): void {
    if (change.kind !== 'add') return;
    const { secrethash } = change;
    if (secrethash === EVERYBODY_KNOWS)
      throw new Violation(15, who, `${who} locks the hash of zeros, which everybody can claim`);
    if (isInitiator(who, secrethash)) return;
    const timeouts = timeoutsOf(who, channel);
    if (timeouts === null) return;
    const left = decodeLock(change.lock).expiration - block;
    if (left > timeouts.reveal && left <= timeouts.settle) return;
    const text = `${who} passes ${secrethash} on with ${left} blocks left`;
    throw new Violation(
      7,
      who,
      `${text}: the rule is ${timeouts.reveal + 1n} to ${timeouts.settle}`,
    );
  }

  /** An honest node has written this step, when `block` was its newest confirmed block. */
  return (who: string, { channel, side, changes }: RecordProof, block: bigint): void => {
    if (side === 'own') for (const change of changes) check(who, channel, change, block);
  };
}
