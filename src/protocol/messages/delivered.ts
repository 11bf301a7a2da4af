/** An acknowledgement of the reference protocol; it has no effect here. */

import type { PlainDefinition } from './definition.ts';
import * as read from './message-fields.ts';

export type Delivered = { type: 'Delivered'; deliveredMessageId: bigint };

export const delivered: PlainDefinition<Delivered> = {
  read: (reading) => ({
    type: 'Delivered',
    deliveredMessageId: read.uint64(reading, 'delivered_message_identifier'),
  }),
  write: (message) => ({ delivered_message_identifier: String(message.deliveredMessageId) }),
  signed: null,
};
