import fc from 'fast-check';
import { describe } from 'vitest';
import { decodeBatch, decodeMessage, encodeMessage } from '../../../src/protocol/message-codec.ts';
import { signingDigest } from '../../../src/protocol/message-hash.ts';
import { anyMessage, anySignature } from './arbitraries.ts';
import { itReadsWhatStrangersWrite } from './codec-properties.ts';

describe('the decoder of partner messages', () => {
  itReadsWhatStrangersWrite({
    any: fc.record({ message: anyMessage, signature: anySignature }),
    types: anyMessage.map(({ type }) => type),
    encode: ({ message, signature }) => encodeMessage(message, signature),
    decode: decodeMessage,
    decodeBatch,
    digest: ({ message }) => signingDigest(message),
    numRuns: 2_000,
  });
});
