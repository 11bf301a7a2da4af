import { expect, it } from 'vitest';
import { CODES, failure } from '../../../src/protocol/codes.ts';

it('has a code for each failure, and says no more than it is told', () => {
  expect(failure('no_route')).toEqual({ ok: false, code: 'no_route', detail: '' });
  expect(failure('busy', 'a close')).toEqual({ ok: false, code: 'busy', detail: 'a close' });
  expect(new Set(CODES).size).toBe(CODES.length);
});
