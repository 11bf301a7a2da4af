/** The receiver has processed the message with this identifier: it need not be repeated. */
import { fields, type ValueOf } from './fields.ts';
import { literal, messageId } from './kinds.ts';

export const processed = fields({ type: literal('Processed'), messageId });
export type Processed = ValueOf<typeof processed>;
