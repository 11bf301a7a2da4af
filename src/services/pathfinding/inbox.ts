/**
 * Takes the statements of nodes about their channels and checks them; accepted ones are on disk with the next commit.
 */

import type { Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import { fromHex } from '../../basics/hex.ts';
import { createStatementIntake } from '../../node/routing/statement-intake.ts';
import type { SignedServiceMessage } from '../../protocol/services/service-message-types.ts';
import { serviceMessageDigest } from '../../protocol/services/service-messages.ts';
import { capacityRefusal, feeRefusal, isOfChannel } from '../../routing/statements.ts';
import { createWaitingRoom, type Statement } from '../../routing/waiting-room.ts';
import { type KnownNetwork, type NetworkBook, type OpenedChannel, statementsOf } from './book.ts';
import type { PathfindingRows } from './rows.ts';

/** Why a statement is refused. */
type StatementRefusal =
  | 'other_chain'
  | 'unknown_network'
  | 'other_signer'
  | 'no_participant'
  | 'stale'
  | 'from_the_future'
  | 'unusable';

export type InboxParts = {
  chainId: bigint;
  book: NetworkBook;
  rows: Pick<PathfindingRows, 'putCapacity' | 'putFee'>;
  /** Adds a write to the next commit; resolves when it is on disk. */
  write: (work: () => void) => Promise<void>;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  elapsed: () => number;
  log: Pick<Log, 'info'>;
  /** Called with the signer of a statement: the node is online. */
  heardFrom: (address: Address) => void;
};

export function createStatementInbox(parts: InboxParts) {
  const { book, rows, write, now, elapsed, log, heardFrom } = parts;
  const room = createWaitingRoom();
  const told = new Set<string>();

  /** Logs each reason once, because anybody can send invalid statements as fast as they like. */
  function tell(reason: string): void {
    if (told.has(reason)) return;
    told.add(reason);
    log.info({ reason }, 'a statement does not count; further ones like it are not logged');
  }

  /** Why the message is refused, 'waits' while its channel is unknown, or null when it was taken. */
  function take({ message, signature }: SignedServiceMessage): StatementRefusal | 'waits' | null {
    if (message.type === 'RequestMonitoring') return 'unusable';
    if (message.chainId !== parts.chainId) return 'other_chain';
    const network = book.network(message.tokenNetwork);
    if (network === null) return 'unknown_network';
    const refusal = refusalOf(network, message, now());
    if (refusal !== null && refusal !== 'waits') return refusal;
    // The signature is checked last, because that costs the most.
    const signer = parts.recover(serviceMessageDigest(message), fromHex(signature));
    if (signer !== message.updatingParticipant) return 'other_signer';
    if (refusal === 'waits') {
      room.add(message);
      return refusal;
    }
    heardFrom(signer);
    return keep(network, message);
  }

  function keep(network: KnownNetwork, message: Statement): StatementRefusal | null {
    // Noted at once, so that an older statement in the same commit is recognised as older.
    if (message.type === 'PFSCapacityUpdate') {
      book.noteCapacity(network, message);
      void write(() => rows.putCapacity(message));
      return null;
    }
    if (!book.noteFee(network, message)) return 'unusable';
    void write(() => rows.putFee(message));
    return null;
  }

  function hear(signed: SignedServiceMessage): void {
    const refusal = take(signed);
    // Nodes repeat their statements for late listeners, so stale ones are normal.
    if (refusal !== null && refusal !== 'waits' && refusal !== 'stale') tell(refusal);
  }

  return {
    /** Takes a payload of anybody. */
    hear: createStatementIntake({ now: elapsed, hear, onRefused: tell }),
    /** Takes the statements about the channel that arrived before its opening was confirmed. */
    opened({ network, channelId }: OpenedChannel): void {
      const participants = network.graph.channel(channelId)?.participants ?? [];
      for (const updatingParticipant of participants) {
        const name = { tokenNetwork: network.address, channelId, updatingParticipant };
        for (const message of room.take(name)) {
          if (refusalOf(network, message, now()) === null) keep(network, message);
        }
      }
    },
    waiting: room.size,
  };
}

function refusalOf(
  network: KnownNetwork,
  message: Statement,
  now: number,
): StatementRefusal | 'waits' | null {
  const channel = network.graph.channel(message.channelId);
  if (channel === null) return 'waits';
  if (!isOfChannel(message, channel.participants)) return 'no_participant';
  const standing = statementsOf(network, message);
  return message.type === 'PFSCapacityUpdate'
    ? capacityRefusal(message, standing)
    : feeRefusal(message, standing, now);
}
