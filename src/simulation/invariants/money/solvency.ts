/**
 * The token network's contract has all tokens that its channels have to pay: no channel is paid with the money of
 * another.
 */
import type { Hash } from '../../../basics/hex.ts';
import type { ChannelFacts } from '../../chain/contracts/token-network.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';

type Needs = Pick<Facts, 'channel' | 'channelLogs' | 'head'> & {
  /** How many channels were ever opened. */
  channelCount(): bigint;
  /** The token balance of the contract. */
  held(): bigint;
};

export function createSolvency({ channel, channelLogs, head, channelCount, held }: Needs): Oracle {
  /** What each channel still has to pay, if anything. */
  const owed = new Map<bigint, bigint>();
  let sum = 0n;
  let last: Hash | null = null;

  function reckon(id: bigint) {
    const now = owedBy(channel(id));
    sum += now - (owed.get(id) ?? 0n);
    if (now === 0n) owed.delete(id);
    else owed.set(id, now);
  }

  /** After blocks were replaced: a channel that was opened in one of them may not be there any more. */
  function reckonAll() {
    for (const id of [...owed.keys()]) reckon(id);
    for (let id = 1n; id <= channelCount(); id++) reckon(id);
  }

  return {
    block({ number, hash, parentHash }) {
      if (parentHash === last) for (const id of channelLogs(number)) reckon(id);
      else reckonAll();
      last = hash;
      if (number < head() || held() >= sum) return;
      const text = `the contract holds ${held()}, and owes ${sum} to its channels`;
      throw new Violation(4, null, text, { lost: sum - held() });
    },
  };
}

/** The deposits of a channel, or after its settlement the amounts that can still be unlocked. */
function owedBy(facts: ChannelFacts | null): bigint {
  if (facts === null) return 0n;
  const isThere = facts.state === 'opened' || facts.state === 'closed';
  const ofSide = (side: ChannelFacts['sides'][number]) =>
    isThere ? side.deposit - side.withdrawn : side.locked;
  return facts.sides.reduce((total, side) => total + ofSide(side), 0n);
}
