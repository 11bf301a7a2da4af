import { describe, expect, it } from 'vitest';
import { writeOpenApi } from '../../../src/http/description/openapi.ts';
import { createChecker } from '../../support/json-schema.ts';
import { readDocument } from '../../support/openapi.ts';
import { appWith, call } from './client.ts';
import { PARTNER, TOKEN } from './fake-node.ts';

const { schemas } = readDocument(JSON.stringify(await writeOpenApi('1.2.3')));
const check = createChecker(schemas);
const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe('a schema of the document', () => {
  it('takes the object that it describes, and nothing that differs from it', async () => {
    const { body } = await call(appWith(), { path: `/channels/${TOKEN}/${PARTNER}` });
    if (typeof body !== 'object' || body === null) throw new Error('there is no channel');
    const of = (changes: object) => check(named('Channel'), { ...body, ...changes });
    expect(of({})).toBeNull();
    expect(of({ more: '1' })).toBe('more: is not allowed');
    expect(of({ balance: 5 })).toBe('balance: integer is not string');
    expect(of({ balance: '05' })).toMatch(/^balance: is not like /);
    expect(of({ state: 'open' })).toBe('state: enum');
    expect(check(named('Channel'), Object.fromEntries(Object.entries(body).slice(1)))).toBe(
      'channel_identifier lacks',
    );
    expect(check({ type: 'array', items: named('Channel') }, [body, 5])).toMatch(/^1: /);
  });

  it('takes one of several, and refuses what is none of them', () => {
    const busy = { code: 'busy' };
    expect(check(named('Errors'), { errors: 'Text.', ...busy })).toBeNull();
    expect(check(named('Errors'), { errors: { amount: ['Missing.'] }, ...busy })).toBeNull();
    expect(check(named('Errors'), { errors: ['Text.'], ...busy })).toBe(
      'errors: is none of several',
    );
    expect(check(named('Errors'), { errors: 'Text.', code: 'new' })).not.toBeNull();
    expect(check(named('PaymentEvent'), { event: 'EventPaymentSentFailed' })).not.toBeNull();
    expect(check(named('Unknown'), 5)).toBe('is not allowed');
    expect(() => check({ minItems: 1 }, [])).toThrow('no such word: minItems');
  });
});
