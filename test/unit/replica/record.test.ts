import { describe, expect, it } from 'vitest';
import {
  NO_LINK,
  openRecord,
  type RecordHead,
  recordKeys,
  sealRecord,
} from '../../../src/replica/record.ts';

const keys = recordKeys(new Uint8Array(32).fill(7), '1 0xregistry 0xown');
const head: RecordHead = { kind: 'commit', epoch: 3, sequence: 41, link: NO_LINK };
const content = new TextEncoder().encode('what was written');

describe('a record of the stream', () => {
  it('is opened by whoever has the keys', () => {
    const { bytes, tag } = sealRecord(keys, head, content);
    const opened = openRecord(keys, bytes);
    expect(opened?.head).toEqual(head);
    expect(Buffer.from(opened?.content ?? []).toString()).toBe('what was written');
    expect(Buffer.from(opened?.tag ?? [])).toEqual(tag);
  });

  it('shows nothing of its content', () => {
    const { bytes } = sealRecord(keys, head, content);
    expect(Buffer.from(bytes).includes('what was')).toBe(false);
  });

  it('is the same whenever the same is sealed, so that a nonce never covers two texts', () => {
    expect(sealRecord(keys, head, content)).toEqual(sealRecord(keys, head, content));
    const other = sealRecord(keys, head, Buffer.from('what was rewritten'));
    const nonceOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(30, 42)).toString('hex');
    expect(nonceOf(other.bytes)).not.toBe(nonceOf(sealRecord(keys, head, content).bytes));
  });

  it('is refused when any of its bytes was changed', () => {
    const { bytes } = sealRecord(keys, head, content);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openRecord(keys, changed), `byte ${at}`).toBeNull();
    }
  });

  it('is refused when it was cut, at every length', () => {
    const { bytes } = sealRecord(keys, head, content);
    for (let length = 0; length < bytes.length; length++)
      expect(openRecord(keys, bytes.subarray(0, length)), `${length} bytes`).toBeNull();
  });

  it('is refused under the keys of another node, and of the same one on another chain', () => {
    const { bytes } = sealRecord(keys, head, content);
    const ofOther = recordKeys(new Uint8Array(32).fill(8), '1 0xregistry 0xown');
    const elsewhere = recordKeys(new Uint8Array(32).fill(7), '2 0xregistry 0xown');
    expect(openRecord(ofOther, bytes)).toBeNull();
    expect(openRecord(elsewhere, bytes)).toBeNull();
  });
});
