/**
 * The channels of all token networks with their sides, and which of the sides wanted each: it opened the channel, or put
 * something in itself. What others put in for it does not count.
 */
import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import { type Address, type Hash, parseAddress, ZERO_ADDRESS } from '../../../basics/hex.ts';
import type { Block, Log } from '../../chain/blocks.ts';
import { eventTopic } from '../../chain/contracts/abi.ts';
import type { Transaction } from '../../chain/transaction.ts';

export type OwnChannel = {
  id: string;
  sides: readonly [Address, Address];
  wantedBy: Set<Address>;
  /** What each side has in it, whoever put it in, in the token's smallest unit. */
  deposits: Map<Address, bigint>;
};

const OPENED = eventTopic('ChannelOpened(uint256,address,address,uint256)');
const DEPOSITED = eventTopic('ChannelNewDeposit(uint256,address,uint256)');
const ADDRESS_AT = 26;

export function createOwnChannels() {
  const channels = new Map<string, OwnChannel>();
  const bySide = new Map<Address, OwnChannel[]>();
  /** What each account has put in itself, by token network. */
  const own = new Map<string, bigint>();

  function note(sender: Transaction, { address: network, encoded: { topics, data } }: Log) {
    const [event, number, first, second] = topics;
    if (number === undefined || (event !== OPENED && event !== DEPOSITED)) return;
    const id = channelActorId({ tokenNetwork: network, channelId: BigInt(number) });
    const one = addressIn(first);
    if (event === OPENED) {
      const sides = [one, addressIn(second)] as const;
      const wantedBy = new Set(sides.filter((side) => side === sender.from));
      const opened = { id, sides, wantedBy, deposits: new Map() };
      channels.set(id, opened);
      for (const side of sides) getOrMake(bySide, side, (): OwnChannel[] => []).push(opened);
      return;
    }
    const channel = channels.get(id);
    const added = BigInt(data) - (channel?.deposits.get(one) ?? 0n);
    channel?.deposits.set(one, BigInt(data));
    // What the simulation puts in at the beginning is the nodes' own.
    if (!sender.isSetup && one !== sender.from) return;
    channel?.wantedBy.add(one);
    const key = `${network} ${one}`;
    own.set(key, (own.get(key) ?? 0n) + added);
  }

  return {
    note({ receipts }: Pick<Block, 'receipts'>) {
      for (const { transaction, logs } of receipts) for (const log of logs) note(transaction, log);
    },
    /** The channel with the id of its actor; null: there was none. */
    at: (id: string): OwnChannel | null => channels.get(id) ?? null,
    /** The channels of this account, also those that have ended. */
    of: (owner: Address): readonly OwnChannel[] => bySide.get(owner) ?? [],
    /** What the account has put into channels of this token network itself. */
    putInBy: (network: Address, owner: Address): bigint => own.get(`${network} ${owner}`) ?? 0n,
  };
}

const addressIn = (topic: Hash | undefined): Address =>
  parseAddress(`0x${(topic ?? '').slice(ADDRESS_AT)}`) ?? ZERO_ADDRESS;
