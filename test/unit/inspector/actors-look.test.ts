import { describe, expect, it } from 'vitest';
import {
  type ActorsLook,
  lookOfQuery,
  queryOfLook,
  USUAL_LOOK,
} from '../../../src/inspector-page/views/actors/look.ts';

describe('the choice of actors that are looked at', () => {
  it.each<Partial<ActorsLook>>([
    {},
    { form: 'table', column: 'amount', isDown: true },
    { form: 'table', column: 'deadline', isDown: true },
    { machine: 'channel', state: 'opened.deposit.idle+withdraw.idle', order: 'deadline' },
    { partner: 'bob & sons', token: '0xAb', payment: '42', ended: 'all' },
  ])('is restored from its address: %o', (part) => {
    const look = { ...USUAL_LOOK, ...part };
    expect(lookOfQuery(queryOfLook(look))).toEqual(look);
  });

  it('is the default where the address says nothing, or nonsense', () => {
    expect(queryOfLook(USUAL_LOOK)).toBe('');
    expect(lookOfQuery('?form=round&order=7&ended=maybe&sort=-price')).toEqual({
      ...USUAL_LOOK,
      isDown: true,
    });
  });
});
