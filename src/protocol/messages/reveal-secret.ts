/** Tells the secret: to the target, and back from hop to hop. */
import type { Secret } from '../../basics/hex.ts';
import type { PlainDefinition } from './definition.ts';
import * as read from './message-fields.ts';

export type RevealSecret = { type: 'RevealSecret'; messageId: bigint; secret: Secret };

export const revealSecret: PlainDefinition<RevealSecret> = {
  read: (reading) => ({
    type: 'RevealSecret',
    messageId: read.uint64(reading, 'message_identifier'),
    secret: read.bytes32(reading, 'secret'),
  }),
  write: (message) => ({
    message_identifier: String(message.messageId),
    secret: message.secret,
  }),
  signed: null,
};
