/** Bodies of the wrong shape, of every endpoint that reads one. */
import { BODY_ENDPOINTS, type Endpoint } from '../documented.ts';
import * as form from '../objects.ts';
import { at, type Row } from '../row.ts';

type Kind = 'integer' | 'address' | 'bytes32' | 'state' | 'paths';
type Field = { kind: Kind; isRequired?: true };
type Body = { good: Record<string, unknown>; fields: Record<string, Field> };

const integer: Field = { kind: 'integer' };
const bytes32: Field = { kind: 'bytes32' };
const paths: Field = { kind: 'paths' };

/** What the document lists for each body; `good` makes a request that has the right shape. */
const BODIES: Partial<Record<Endpoint, Body>> = {
  'PUT /channels': {
    good: { token_address: '{token}', partner_address: '{someone1}' },
    fields: {
      token_address: { kind: 'address', isRequired: true },
      partner_address: { kind: 'address', isRequired: true },
      total_deposit: integer,
      settle_timeout: integer,
      reveal_timeout: integer,
    },
  },
  'PATCH /channels/{token_address}/{partner_address}': {
    good: {},
    fields: {
      state: { kind: 'state' },
      total_deposit: integer,
      total_withdraw: integer,
      reveal_timeout: integer,
    },
  },
  'POST /payments/{token_address}/{target_address}': {
    good: { amount: '1' },
    fields: {
      amount: { kind: 'integer', isRequired: true },
      identifier: integer,
      lock_timeout: integer,
      secret: bytes32,
      secret_hash: bytes32,
      path: paths,
      paths,
    },
  },
  'POST /user_deposit': {
    good: {},
    fields: {
      total_deposit: integer,
      planned_withdraw_amount: integer,
      withdraw_amount: integer,
    },
  },
  'PUT /connections/{token_address}': {
    good: { funds: '1' },
    fields: { funds: { kind: 'integer', isRequired: true } },
  },
  'POST /_testing/tokens/{token_address}/mint': {
    good: { to: '{alice}', value: '1' },
    fields: {
      to: { kind: 'address', isRequired: true },
      value: { kind: 'integer', isRequired: true },
    },
  },
};

const HEX = '1f'.repeat(32);
const NOWHERE = { route: ['{alice}', '{bob}'] };

/** JSON text that is not what the field takes. */
const WRONG: Record<Kind, readonly (readonly [what: string, text: string])[]> = {
  integer: [
    ['a fraction', '1.5'],
    ['a fraction as a string', '"1.5"'],
    ['a whole number with an exponent', '1e3'],
    ['an exponent as a string', '"1e3"'],
    ['hexadecimal', '"0x10"'],
    ['surrounded by blanks', '" 7 "'],
    ['signed with a plus', '"+7"'],
    ['true', 'true'],
    ['empty', '""'],
    ['a word', '"abc"'],
    ['a list', '["7"]'],
    ['an object', '{}'],
  ],
  address: [
    ['in lower case', '"{tokenLower}"'],
    ['without 0x', '"{tokenBare}"'],
    ['one digit short', '"{tokenShort}"'],
    ['a number', '5'],
    ['an object', '{}'],
    ['empty', '""'],
    ['null', 'null'],
  ],
  bytes32: [
    ['too short', '"0x12"'],
    ['too long', `"0x${HEX}00"`],
    ['without 0x', `"${HEX}"`],
    ['not hexadecimal', `"0x${'zz'.repeat(32)}"`],
    ['a number', '5'],
  ],
  state: [
    ['a number', '5'],
    ['in capitals', '"CLOSED"'],
    ['an object', '{}'],
  ],
  paths: [
    ['an object', '{}'],
    ['a number', '5'],
    ['a string that is no JSON', '"[{"'],
    ['a list of addresses', '["{bob}"]'],
    ['a route without metadata', JSON.stringify([NOWHERE])],
    ['metadata without a route', '[{"address_metadata":{}}]'],
    ['a route over an address in lower case', '[{"route":["{tokenLower}"],"address_metadata":{}}]'],
    ['metadata for no address', JSON.stringify([{ ...NOWHERE, address_metadata: { nobody: {} } }])],
    [
      'a route object with another field',
      JSON.stringify([{ ...NOWHERE, address_metadata: {}, cost: '1' }]),
    ],
  ],
};

const source = 'decision: Shape or value, 400' as const;

/** The good body's JSON text with one field more, or another. */
function textWith(good: Record<string, unknown>, name: string, text: string): string {
  const others = Object.entries(good).filter(([other]) => other !== name);
  const fields = [...others.map(([key, value]) => [key, JSON.stringify(value)]), [name, text]];
  return `{${fields.map(([key, value]) => `"${key}":${value}`).join()}}`;
}

function fieldRows(endpoint: Endpoint, { good, fields }: Body): Row[] {
  return Object.entries(fields).flatMap(([name, { kind, isRequired = false }]) => {
    const wrong =
      isRequired && kind === 'integer' ? [...WRONG[kind], ['null', 'null']] : WRONG[kind];
    const { [name]: _, ...others } = good;
    const missing = isRequired ? [{ condition: `${name} is missing`, body: others }] : [];
    return at(endpoint, [
      ...missing.map((row) => ({ ...row, source, status: 400, answer: form.wrongFields(name) })),
      ...wrong.map(([what, text = '']) => ({
        condition: `${name} is ${what}`,
        source,
        raw: textWith(good, name, text),
        status: 400,
        answer: form.wrongFields(name),
      })),
    ]);
  });
}

function wholeRows(endpoint: Endpoint, { good }: Body): Row[] {
  const text = { 'content-type': 'text/plain' };
  const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const sentences: (readonly [string, string])[] = [
    ['is no JSON', '{"amount":'],
    ['has a comma too many', '{"amount":"1",}'],
    ['is empty', ''],
    ['is null', 'null'],
    ['is a list', '[]'],
    ['is a string', '"amount"'],
    ['is a number', '5'],
  ];
  const raw = JSON.stringify(good);
  return at(endpoint, [
    ...sentences.map(([what, raw]) => ({
      condition: `the body ${what}`,
      source: /JSON|comma/.test(what) ? ('document: Errors, 400 malformed JSON' as const) : source,
      raw,
      status: 400,
      answer: form.refused,
    })),
    { condition: 'there is no body', source, status: 400, answer: form.refused },
    {
      condition: 'the body has a field that nobody knows',
      source,
      body: { ...good, hint: '1' },
      status: 400,
      answer: form.wrongFields('hint'),
    },
    {
      condition: 'the body is not sent as JSON',
      source: 'decision: Order of checks, not JSON by content type 415',
      raw,
      headers: text,
      status: 415,
      answer: form.refused,
    },
    {
      condition: 'the body is compressed',
      source: 'decision: Order of checks, not JSON by content type 415',
      raw,
      headers: packed,
      status: 415,
      answer: form.refused,
    },
    {
      condition: 'the body is too large',
      source: 'decision: Order of checks, body too large 413',
      raw: `{"amount":"${'0'.repeat(70_000)}"}`,
      status: 413,
      answer: form.refused,
    },
  ]);
}

export const shapeRows: Row[] = BODY_ENDPOINTS.flatMap((endpoint) => {
  const body = BODIES[endpoint];
  return body === undefined ? [] : [...wholeRows(endpoint, body), ...fieldRows(endpoint, body)];
});
