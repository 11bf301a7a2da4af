/** Tells the secret: to the target, and back from hop to hop. */
import { fields } from './fields.ts';
import { bytes32, literal, messageId } from './kinds.ts';

export const revealSecret = fields({ type: literal('RevealSecret'), messageId, secret: bytes32 });
