/**
 * A participant that runs no node: it opens channels with the timeouts that it likes, signs what it likes,
 * and says it when it likes.
 */

import type { Address, Hash, Secret } from '../../src/basics/hex.ts';
import { tokenAbi } from '../../src/chain/abi.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { mintTokens } from '../../src/contracts/tokens.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import type { Transport } from '../../src/partner/transport.ts';
import {
  type ChannelEnd,
  EMPTY_END,
  findLock,
  proofAmounts,
  withLock,
  withoutLock,
  withUnlocked,
} from '../../src/protocol/channel/channel-end.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { Change, LockChange, UnlockChange } from '../../src/protocol/messages/changes.ts';
import { decodeBatch } from '../../src/protocol/messages/message-codec.ts';
import type { Message, SentMessage } from '../../src/protocol/messages/table.ts';
import type { Update } from '../../src/protocol/messages/update.ts';
import type { Promised, SealedFor, SealPlace } from '../../src/protocol/wire/envelope.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { closeWith, proofsIn } from './cheating.ts';
import type { Network } from './network.ts';
import { linesOf, sealingOf, sentBy } from './sealed.ts';

export type Stranger = ReturnType<typeof startStranger>;
export type Participant = ReturnType<typeof createParticipant>;
type Transfer = Pick<LockChange, 'paymentId' | 'target' | 'initiator' | 'lock' | 'metadata'>;

/** Opens a channel on chain between two accounts; answers its id. */
export async function openOnChain(
  { clients, tokenNetwork, chain }: Pick<Network, 'clients' | 'tokenNetwork' | 'chain'>,
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
  { clients, token, tokenNetwork }: Pick<Network, 'clients' | 'token' | 'tokenNetwork'>,
  channelId: bigint,
  [owner, partner]: readonly [Address, Address],
  total: bigint,
): Promise<void> {
  const { wallet } = clients;
  await mintTokens(clients, token, wallet.account.address, total);
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

type Parts = {
  signer: Signer;
  /** Whose address and public key are known. */
  partner: Pick<Signer, 'address' | 'publicKey'>;
  transport: Pick<Transport, 'publish' | 'onMessage' | 'close'>;
  place: SealPlace;
  token: Address;
  tokenNetwork: Address;
  channelId: bigint;
  /** Whether it acknowledges what it hears. */
  acknowledges: boolean;
};

/** Of one channel, the one with `partner`. Besides acknowledging what it hears it does nothing by itself. */
export function createParticipant(parts: Parts) {
  const { signer, transport, place, token, tokenNetwork, channelId } = parts;
  const { address: partner } = parts.partner;
  const sealing = sealingOf(signer, place);
  sealing.learn(partner, parts.partner.publicKey);
  const heard: SentMessage[] = [];
  let end: ChannelEnd = EMPTY_END;
  let messages = 0n;

  const messageId = () => {
    messages += 1n;
    return messages;
  };
  const envelope = () => ({
    chainId: place.chainId,
    tokenNetwork,
    channelId,
    messageId: messageId(),
    ...proofAmounts(end),
  });
  const ownLock = (secrethash: Hash) => {
    const lock = findLock(end, secrethash);
    if (lock === undefined) throw new Error('the stranger gave no such lock');
    return lock;
  };

  /** Sends these lines, whatever they are. */
  function write(lines: Uint8Array) {
    const payload = sealing.seal(partner, lines);
    if (payload !== null) transport.publish(partner, payload);
  }
  const say = (...sent: Message[]) =>
    write(linesOf(sent.map((message) => sentBy(signer, message))));

  /** The next step of its side, after which it is as given. */
  function step(after: ChannelEnd, ...changes: Change[]): Update {
    end = { ...after, nonce: end.nonce + 1n };
    return { type: 'Update', ...envelope(), changes };
  }
  const lockMessage = (transfer: Transfer): Update =>
    step(withLock(end, transfer.lock), {
      type: 'lock',
      recipient: partner,
      token,
      ...transfer,
    });
  const unlockMessage = ({ paymentId, secret }: Omit<UnlockChange, 'type'>): Update =>
    step(withUnlocked(end, ownLock(secrethashOf(secret))), { type: 'unlock', paymentId, secret });

  transport.onMessage((payload) => {
    const opened = sealing.open(payload);
    const fresh = opened.ok ? decodeBatch(opened.text).messages : [];
    heard.push(...fresh);
    for (const { message } of parts.acknowledges ? fresh : []) {
      if (!('messageId' in message) || message.type === 'Processed') continue;
      say({ type: 'Processed', messageId: message.messageId });
    }
  }, signer.publicKey);

  return {
    address: signer.address,
    /** Everything that it was told, repeats included. */
    heard: (): readonly SentMessage[] => heard,
    write,
    say,
    /** The fields of a balance proof that changes nothing. */
    envelope,
    /** A payment's secret and amount that the partner alone can read. */
    sealSecret: (payment: SealedFor, promised: Promised) =>
      sealing.sealSecret(partner, payment, promised),
    /** The message that gives a lock; it has to be sent. */
    lockMessage,
    /** The message that pays a lock; it has to be sent. */
    unlockMessage,
    lock: (transfer: Transfer) => say(lockMessage(transfer)),
    unlock: (paid: Omit<UnlockChange, 'type'>) => say(unlockMessage(paid)),
    /** Takes its lock back. */
    expire(secrethash: Hash) {
      const change = { type: 'expired', recipient: partner, secrethash } as const;
      say(step(withoutLock(end, ownLock(secrethash)), change));
    },
    reveal: (secret: Secret) => say({ type: 'RevealSecret', messageId: messageId(), secret }),
    stop: () => transport.close(),
  };
}

/** One whose money is on the chain of a test's network, and who hears what comes over its bus. */
export function startStranger(network: Network, name: string, partner: Address, channelId: bigint) {
  const { bus, chain, contracts, token, tokenNetwork } = network;
  const signer = network.signerOf(name);
  const stranger = createParticipant({
    signer,
    partner: network.signerAt(partner),
    transport: bus.connect(signer.address),
    place: {
      chainId: chain.chainId,
      tokenNetworkRegistry: contracts.tokenNetworkRegistryAddress,
    },
    token,
    tokenNetwork,
    channelId,
    acknowledges: true,
  });
  return {
    ...stranger,
    /** Closes the channel with the newest balance proof that it was given. */
    close: () =>
      closeWith(
        network,
        { closer: signer, partner, channelId },
        proofsIn(stranger.heard()).at(-1) ?? null,
      ),
  };
}
