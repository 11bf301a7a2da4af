import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, difference, isSame } from '../../../src/inspector/replay/patch.ts';

/** Plain data as contexts are, with keys that are hard to point at. */
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1, 'a', 'b', 1n, 2n, 2n ** 70n),
    fc.array(tie('document'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom('a', 'b', '', '0', 'a/b', '~1', 'm~n', 'toString', '-'),
      tie('document'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
}));

describe('the difference between two contexts', () => {
  it('leads from one to the other', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        expect(applyPatch(before, difference(before, after))).toEqual(after);
        expect(isSame(before, after)).toBe(difference(before, after).length === 0);
      }),
      { numRuns: 500 },
    );
  });

  it('names only what changed', () => {
    const lock = (n: bigint) => ({ amount: n, secrethash: `0x${n}` });
    const before = { end: { locks: [lock(1n), lock(2n), lock(3n)], nonce: 4n }, deposit: null };
    const after = { end: { locks: [lock(1n), lock(3n)], nonce: 5n }, deposit: null, jobs: 1 };
    expect(difference(before, after)).toEqual([
      { op: 'remove', path: '/end/locks/1' },
      { op: 'replace', path: '/end/nonce', value: 5n },
      { op: 'add', path: '/jobs', value: 1 },
    ]);
  });

  it('takes a property that is undefined for one that is not there', () => {
    expect(difference({ a: undefined, b: 1 }, { b: 1 })).toEqual([]);
    expect(difference({ a: 1 }, { a: undefined })).toEqual([{ op: 'remove', path: '/a' }]);
  });

  it('escapes what means something in a path', () => {
    expect(difference({}, { 'a/b~c': 1 })).toEqual([{ op: 'add', path: '/a~1b~0c', value: 1 }]);
  });

  it('leaves the document as it is', () => {
    const document = Object.freeze({ list: Object.freeze([1, 2]) });
    expect(applyPatch(document, [{ op: 'add', path: '/list/0', value: 0 }])).toEqual({
      list: [0, 1, 2],
    });
  });

  it('is refused by a document that it was not made for', () => {
    const document = { list: [1], text: 'a' };
    for (const path of ['/other', '/list/1', '/list/x', '/text/0', '/toString', 'list'])
      expect(() => applyPatch(document, [{ op: 'replace', path, value: 0 }])).toThrow(TypeError);
    expect(() => applyPatch(document, [{ op: 'remove', path: '/other' }])).toThrow(TypeError);
    expect(() => applyPatch(document, [{ op: 'add', path: '/list/2', value: 0 }])).toThrow(
      TypeError,
    );
  });
});
