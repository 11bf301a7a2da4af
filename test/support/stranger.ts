/**
 * A participant that runs no node: it opens channels with the timeouts that it likes, signs what it likes,
 * and says it when it likes.
 */
import { tokenAbi } from '../../src/chain/abi.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { mint } from '../../src/contracts/tokens.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import {
  type ChannelEnd,
  EMPTY_END,
  findLock,
  proofAmounts,
  withLock,
  withoutLock,
} from '../../src/protocol/channel-end.ts';
import type { Address, Hash, Secret } from '../../src/protocol/hex.ts';
import type { LockedTransfer } from '../../src/protocol/messages/locked-transfer.ts';
import type { Message, SentMessage } from '../../src/protocol/messages/table.ts';
import { closeWith, proofsIn } from './cheating.ts';
import type { Network } from './network.ts';
import { linesOf, sentBy } from './sealed.ts';

export type Stranger = ReturnType<typeof startStranger>;
type Transfer = Pick<LockedTransfer, 'paymentId' | 'target' | 'initiator' | 'lock' | 'metadata'>;

/** Opens a channel on chain between two accounts; answers its id. */
export async function openOnChain(
  { clients, tokenNetwork, chain }: Network,
  [first, second]: readonly [Address, Address],
  settleTimeout: bigint,
): Promise<bigint> {
  const contract = { address: tokenNetwork, abi: tokenNetworkAbi } as const;
  const hash = await clients.wallet.writeContract({
    ...contract,
    functionName: 'openChannel',
    args: [first, second, settleTimeout],
  });
  await confirmed(clients, hash, 'the opening');
  const read = { ...contract, functionName: 'getChannelIdentifier' } as const;
  return chain.client.readContract({ ...read, args: [first, second] });
}

/** Somebody's money in a channel, whoever brings it there. */
export async function depositOnChain(
  { clients, token, tokenNetwork }: Network,
  channelId: bigint,
  [owner, partner]: readonly [Address, Address],
  total: bigint,
): Promise<void> {
  const { wallet } = clients;
  await mint(clients, token, wallet.account.address, total);
  const approve = { address: token, abi: tokenAbi, functionName: 'approve' } as const;
  const approved = await wallet.writeContract({ ...approve, args: [tokenNetwork, total] });
  await confirmed(clients, approved, 'the approval');
  const hash = await wallet.writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'setTotalDeposit',
    args: [channelId, owner, total, partner],
  });
  await confirmed(clients, hash, 'the deposit');
}

/** Of one channel, the one with `partner`. It acknowledges what it hears, and does nothing else by itself. */
export function startStranger(network: Network, name: string, partner: Address, channelId: bigint) {
  const { bus, chain, token, tokenNetwork } = network;
  const signer = network.signerOf(name);
  const transport = bus.connect(signer.address);
  const seal = network.speaker(signer);
  const heard: SentMessage[] = [];
  let end: ChannelEnd = EMPTY_END;
  let messages = 0n;

  const messageId = () => {
    messages += 1n;
    return messages;
  };
  const envelope = () => ({
    chainId: chain.chainId,
    tokenNetwork,
    channelId,
    messageId: messageId(),
    ...proofAmounts(end),
  });

  function say(message: Message) {
    transport.publish(partner, seal(network.signerAt(partner), linesOf([sentBy(signer, message)])));
  }

  transport.onMessage((payload) => {
    const fresh = network.read(signer.address, payload);
    heard.push(...fresh);
    for (const { message } of fresh) {
      if (!('messageId' in message) || message.type === 'Processed') continue;
      say({ type: 'Processed', messageId: message.messageId });
    }
  }, signer.publicKey);

  return {
    address: signer.address,
    /** Everything that it was told, repeats included. */
    heard: (): readonly SentMessage[] => heard,
    lock(transfer: Transfer) {
      end = withLock(end, transfer.lock);
      say({ type: 'LockedTransfer', ...envelope(), recipient: partner, token, ...transfer });
    },
    /** Takes its lock back. */
    expire(secrethash: Hash) {
      const lock = findLock(end, secrethash);
      if (lock === undefined) throw new Error('the stranger gave no such lock');
      end = withoutLock(end, lock);
      say({ type: 'LockExpired', ...envelope(), recipient: partner, secrethash });
    },
    reveal: (secret: Secret) => say({ type: 'RevealSecret', messageId: messageId(), secret }),
    /** Closes the channel with the newest balance proof that it was given. */
    close: () =>
      closeWith(network, { closer: signer, partner, channelId }, proofsIn(heard).at(-1) ?? null),
    stop: () => transport.close(),
  };
}
