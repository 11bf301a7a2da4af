import fc from 'fast-check';
import { describe } from 'vitest';
import type { Signature } from '../../../src/basics/hex.ts';
import {
  decodeBatch,
  decodeMessage,
  encodeMessage,
} from '../../../src/protocol/messages/message-codec.ts';
import { signingDigest } from '../../../src/protocol/messages/message-hash.ts';
import { isSigned, type Message, type SentMessage } from '../../../src/protocol/messages/table.ts';
import { anyMessage, anySignature } from './arbitraries.ts';
import { itReadsWhatStrangersWrite } from './codec-properties.ts';

function sentWith([message, signature]: [Message, Signature]): SentMessage {
  return isSigned(message) ? { message, signature } : { message, signature: null };
}

describe('the decoder of partner messages', () => {
  itReadsWhatStrangersWrite({
    any: fc.tuple(anyMessage, anySignature).map(sentWith),
    types: anyMessage.map(({ type }) => type),
    encode: encodeMessage,
    decode: decodeMessage,
    decodeBatch,
    digest: ({ message }) => (isSigned(message) ? signingDigest(message) : new Uint8Array(32)),
    numRuns: 2_000,
  });
});
