/** An acknowledgement of the reference protocol; it has no effect here. */
import { fields, named, type ValueOf } from './fields.ts';
import { literal, uint64 } from './kinds.ts';

export const delivered = fields({
  type: literal('Delivered'),
  deliveredMessageId: named('delivered_message_identifier', uint64),
});
export type Delivered = ValueOf<typeof delivered>;
