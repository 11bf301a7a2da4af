import { describe, expect, it } from 'vitest';
import { namesFileText, parseNames } from '../../../src/host/names-file.ts';
import { OWN, PARTNER } from '../../support/makers.ts';

const refusal = (text: string) => {
  const parsed = parseNames(text);
  return parsed.ok ? null : parsed.message;
};

describe('the file of names', () => {
  it('reads what was written', () => {
    const names = [
      { name: 'bob', address: PARTNER },
      { name: 'Zoë 2', address: OWN },
    ];
    expect(parseNames(namesFileText(names))).toEqual({ ok: true, value: names });
  });

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['a number for an address', '{"bob":5}'],
  ])('is refused as %s', (_, text) => {
    expect(refusal(text)).toBe('it must be a JSON object of names and addresses');
  });

  it('is refused with what is wrong', () => {
    expect(refusal('{"bob":"0x12"}')).toBe('bob: must be an address (0x and 40 hex digits)');
    expect(refusal(JSON.stringify({ bob: OWN, rob: OWN.toLowerCase() }))).toBe(
      'rob: this address has a name already',
    );
    expect(refusal(JSON.stringify({ '<b>': OWN }))).toMatch(/^a name has from 1 to 32 letters/);
    expect(refusal(JSON.stringify({ ['x'.repeat(33)]: OWN }))).toMatch(/^a name has/);
  });
});
