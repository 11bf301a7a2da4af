/** What a node has answered to its owner stands on chain: a channel, a deposit, a withdrawal, an end. */
import { channelActorId } from '../../../machines/channel/context.ts';
import type { ChannelView } from '../../node/runtime/channel-states.ts';
import type { Address } from '../../protocol/hex.ts';
import type { Facts } from './oracle.ts';
import { Violation } from './violation.ts';

/** What an owner has asked for. Totals as the contract counts them. */
export type Wish =
  | { do: 'open_channel' | 'deposit'; totalDeposit: bigint }
  | { do: 'withdraw'; totalWithdraw: bigint }
  | { do: 'close' }
  | { do: 'leave' };
const OVER: ReadonlySet<string> = new Set(['closed', 'settled', 'removed']);

type Answer = Pick<ChannelView, 'channelId' | 'tokenNetwork'>;
type Asked = { who: string; own: Address; wish: Wish };

/** Throws when the chain has not what the node has just said that it has. */
export function checkPromise(
  { channelOf }: Pick<Facts, 'channelOf'>,
  { who, own, wish }: Asked,
  { channelId, tokenNetwork }: Answer,
): void {
  const facts = channelOf(channelActorId(tokenNetwork, channelId));
  const side = facts?.sides.find(({ address }) => address === own);
  const isOver = facts !== null && OVER.has(facts.state);
  const isThere = () => {
    switch (wish.do) {
      case 'open_channel':
      case 'deposit':
        return isOver || (side?.deposit ?? -1n) >= wish.totalDeposit;
      case 'withdraw':
        return isOver || (side?.withdrawn ?? -1n) >= wish.totalWithdraw;
      case 'close':
        return isOver;
      case 'leave':
        return isOver && facts?.state !== 'closed';
    }
  };
  if (isThere()) return;
  throw new Violation(
    27,
    who,
    `${who} says that ${wish.do} of ${channelId} is done, and it is not`,
  );
}
