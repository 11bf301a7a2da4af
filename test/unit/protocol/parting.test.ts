import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Change,
  MAX_CHANGES,
  MAX_METADATA_BYTES,
  secrethashIn,
} from '../../../src/protocol/messages/changes.ts';
import { decodeMessage, encodeMessage } from '../../../src/protocol/messages/message-codec.ts';
import { inParts } from '../../../src/protocol/messages/update.ts';
import { MAX_LINE_BYTES } from '../../../src/protocol/wire/lines.ts';
import { hashOf, PARTNER, SIGNATURE } from '../../support/makers.ts';
import { lockChange, updateOf } from '../../support/update-makers.ts';
import { anyChange } from './arbitraries.ts';

const made = (change: Change) => ({ change, lock: { secrethash: secrethashIn(change) } });
const MOST = 2n ** 256n - 1n;
/** The longest numbers that an Update may have around its changes. */
const lineOf = (changes: readonly Change[]) =>
  encodeMessage({
    message: {
      ...updateOf(2n ** 64n - 1n, changes),
      messageId: 2n ** 64n - 1n,
      chainId: MOST,
      channelId: MOST,
      transferredAmount: MOST,
      lockedAmount: MOST,
    },
    signature: SIGNATURE,
  });
const changesOf = (changes: readonly Change[]) =>
  inParts(changes.map(made)).map((part) => part.map((one) => one.made.change));

describe('the changes of a batch', () => {
  it('go into as few Updates as the most changes of one allow', () => {
    const toPartner = { target: PARTNER, recipient: PARTNER };
    const many = Array.from({ length: 2 * MAX_CHANGES + 2 }, (_, n) =>
      lockChange({ n, ...toPartner }),
    );
    expect(changesOf(many).map((part) => part.length)).toEqual([MAX_CHANGES, MAX_CHANGES, 2]);
    expect(changesOf(many).flat()).toEqual(many);
    expect(changesOf([])).toEqual([]);
  });

  it('count twice when the receiver has to pass them on', () => {
    const most = MAX_CHANGES / 2;
    const many = Array.from({ length: most + 2 }, (_, n) => lockChange({ n }));
    expect(changesOf(many).map((part) => part.length)).toEqual([most, 2]);
  });

  it('keep their order, each secrethash once in an Update', () => {
    const again = [1, 2, 1, 3, 3, 2].map((n) => lockChange({ n }));
    expect(changesOf(again).map((part) => part.map(secrethashIn))).toEqual(
      [
        [1, 2],
        [1, 3],
        [3, 2],
      ].map((part) => part.map(hashOf)),
    );
  });

  it('say how many bytes each takes', () => {
    const [part = []] = inParts(
      [lockChange({ n: 1 }), lockChange({ n: 2, metadata: '{"é":1}' })].map(made),
    );
    const line = Buffer.byteLength(lineOf(part.map((one) => one.made.change)));
    const bare = Buffer.byteLength(lineOf([]));
    expect(part.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(line - bare + 1);
  });

  it('never make a line that is too long for its reader, whatever metadata partners have chosen', () => {
    const bytes = (size: number) => `{"x":"${'x'.repeat(size)}"}`;
    const parts = (size: number) => `{"x":[${Array(size).fill('[]').join()}]}`;
    const most = Math.floor((MAX_METADATA_BYTES - 20) / 3);
    const metadata = fc.oneof(
      fc.integer({ min: 0, max: MAX_METADATA_BYTES - 8 }).map(bytes),
      fc.integer({ min: 1, max: Math.min(1_300, most) }).map(parts),
      fc.constant(`{"x":"${',:[]{}'.repeat(2_000)}"}`),
    );
    const change = fc.tuple(anyChange, metadata).map(([one, text]): Change => {
      return 'metadata' in one ? { ...one, metadata: text } : one;
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 100 }), (changes) => {
        const found = changesOf(changes);
        expect(found.flat()).toEqual(changes);
        for (const part of found) {
          const line = lineOf(part);
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_LINE_BYTES);
          const read = decodeMessage(line);
          expect(read.ok || read.reason).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});
