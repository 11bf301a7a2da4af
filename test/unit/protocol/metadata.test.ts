import { describe, expect, it } from 'vitest';
import {
  routesMetadata,
  sealedSecretIn,
  tryCanonicalJson,
} from '../../../src/protocol/wire/metadata.ts';
import { OWN, PARTNER } from '../../support/makers.ts';

const bytes = (count: number) => `0x${'5e'.repeat(count)}` as const;

describe('the sealed secret in the metadata of a stranger', () => {
  it('is the one that the initiator put there', () => {
    const metadata = routesMetadata([OWN, PARTNER], bytes(92));
    expect(JSON.parse(metadata)).toEqual({
      routes: [{ route: [OWN, PARTNER] }],
      secret: bytes(92),
    });
    expect(sealedSecretIn(metadata)).toBe(bytes(92));
    expect(sealedSecretIn(routesMetadata([OWN, PARTNER]))).toBeNull();
  });

  it.each<[string, string]>([
    ['a byte less', `{"secret":"${bytes(91)}"}`],
    ['a byte more', `{"secret":"${bytes(93)}"}`],
    ['null', '{"secret":null}'],
    ['a list', `{"secret":["${bytes(92)}"]}`],
    ['one further in', `{"routes":{"secret":"${bytes(92)}"}}`],
    ['its name as a value', '{"a":"secret"}'],
    ['no JSON', '{"secret"'],
    ['no object', '["secret"]'],
  ])('is none with %s', (_, metadata) => {
    expect(sealedSecretIn(metadata)).toBeNull();
  });
});

describe('canonical JSON', () => {
  it('has its names in the order of their characters, at any depth', () => {
    const value = { b: 1, a: { d: 1, c: [{ f: 1, e: 1 }] }, '': 0, Z: 2 };
    expect(tryCanonicalJson(value)).toBe('{"":0,"Z":2,"a":{"c":[{"e":1,"f":1}],"d":1},"b":1}');
  });

  it('keeps characters of two parts, and what has nothing in it', () => {
    expect(tryCanonicalJson({ '😀': '😀', list: [], none: {} })).toBe(
      '{"list":[],"none":{},"😀":"😀"}',
    );
  });

  it.each([
    ['a part of a character in a list', ['\ud83d']],
    ['a function', () => 1],
    ['nothing further in', { a: [undefined] }],
  ])('is not made of %s', (_, value) => {
    expect(tryCanonicalJson(value)).toBeNull();
  });
});
