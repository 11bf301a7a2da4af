import fc from 'fast-check';
import { describe } from 'vitest';
import {
  decodeServiceMessage,
  decodeServiceMessages,
  encodeServiceMessage,
  serviceMessageDigest,
} from '../../../src/protocol/services/service-messages.ts';
import { anyServiceMessage, anySignature } from './arbitraries.ts';
import { itReadsWhatStrangersWrite } from './codec-properties.ts';

describe('the decoder of messages to services', () => {
  itReadsWhatStrangersWrite({
    any: fc.record({ message: anyServiceMessage, signature: anySignature }),
    types: anyServiceMessage.map(({ type }) => type),
    encode: encodeServiceMessage,
    decode: decodeServiceMessage,
    decodeBatch: decodeServiceMessages,
    digest: ({ message }) => serviceMessageDigest(message),
    numRuns: 500,
  });
});
