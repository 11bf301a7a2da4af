/** A message that waits in the outbox: as it is stored, and what is known of it since this process began. */
import type { GivenBytes } from '../../../../machines/effects.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Delivered } from '../../../protocol/messages/delivered.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import type { OutboxRow } from '../../../store/base/batch.ts';
import { decode, encode } from '../../../store/base/codec.ts';

/** A message that can be acknowledged by its identifier. */
export type Numbered = Exclude<Message, Delivered>;
export type Posted = {
  key: string;
  to: Address;
  queue: string | null;
  nonce: bigint | null;
  message: Numbered;
  /** The partners whose transfers the message passes on. */
  givers: readonly GivenBytes[];
  /** Bytes of the message as it is stored. */
  size: number;
  /** The line that was sent, with its signature; null before it was first sent. */
  line: string | null;
  /** How often it was sent, and when last, by the clock that nobody sets; null: before this process began. */
  sends: number;
  sentAt: number | null;
  /** Outside of channels: how often its pause is doubled, and since when it has been repeated in vain. */
  backOff: number;
  firstSentAt: number | null;
  /** Whether its batch is on disk. Until then the message may not be sent, however long it waits. */
  isStored: boolean;
  /** Whether it has been handed to be sent, and was not sent yet. */
  isLeaving: boolean;
};

/** The row of a new message. */
export function rowOf(
  { key, to, queue, givers }: Pick<Posted, 'key' | 'to' | 'queue' | 'givers'>,
  message: Numbered,
): OutboxRow {
  const { messageId } = message;
  const nonce = 'nonce' in message ? message.nonce : null;
  return { key, queue, recipient: to, messageId, nonce, givers, body: encode(message) };
}

/** A message that was never sent, and is not on disk yet. */
export function newPosted(row: OutboxRow, message: Numbered): Posted {
  return {
    key: row.key,
    to: row.recipient,
    queue: row.queue,
    nonce: row.nonce,
    message,
    givers: row.givers,
    size: Buffer.byteLength(row.body),
    line: null,
    sends: 0,
    sentAt: null,
    backOff: 0,
    firstSentAt: null,
    isStored: false,
    isLeaving: false,
  };
}

/** A message of an earlier process. One of a channel was sent before, as far as this process can know. */
export function storedPosted(row: OutboxRow): Posted {
  const posted = newPosted(row, messageIn(decode(row.body)));
  posted.isStored = true;
  posted.sends = row.queue === null ? 0 : 1;
  return posted;
}

/** The store gives back what `rowOf` wrote; its shape was fixed by the type then. */
function messageIn(value: unknown): Numbered {
  if (!isMessage(value)) throw new Error('outbox: a row holds no message');
  return value;
}

function isMessage(value: unknown): value is Numbered {
  return typeof value === 'object' && value !== null && 'type' in value && 'messageId' in value;
}
