/** The receiver has processed the message with this identifier: it need not be repeated. */

import type { PlainDefinition } from './definition.ts';
import * as read from './message-fields.ts';

export type Processed = { type: 'Processed'; messageId: bigint };

export const processed: PlainDefinition<Processed> = {
  read: (reading) => ({
    type: 'Processed',
    messageId: read.uint64(reading, 'message_identifier'),
  }),
  write: (message) => ({ message_identifier: String(message.messageId) }),
  signed: null,
};
