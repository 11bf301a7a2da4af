/** Requests out of an OpenAPI document: good ones, and ones that are wrong in every way it could tell. */
import fc from 'fast-check';
import * as v from 'valibot';
import type { Document, JsonSchema, Operation } from './openapi.ts';

export type Generated = {
  operation: Operation;
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body: string | null;
};
/** Addresses to draw from, by the name of the field; `others` are well-formed addresses of nobody. */
export type Pools = { token: string[]; partner: string[]; others: string[] };

const text = (value: unknown) => JSON.stringify(value);
const BIG = [2n ** 53n + 1n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 128n, 2n ** 256n - 1n, 2n ** 256n];
const SMALL = [0n, 1n, 2n, 5n, 10n, 20n, 25n, 40n, 100n, 501n, 1_000n];
const WHOLE = [5n, 600n, 900n, 1_001n].map((tokens) => tokens * 10n ** 18n);
const integer = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...SMALL) },
      { weight: 3, arbitrary: fc.constantFrom(...BIG, ...WHOLE) },
      fc.bigInt(-(2n ** 80n), 2n ** 80n),
    ),
    fc.boolean(),
  )
  .map(([value, isText]) => (isText ? text(String(value)) : String(value)));

/** JSON texts that fit hardly anywhere. */
const junk = fc.oneof(
  fc.constantFrom(
    ...['null', 'true', '[]', '{}', '""', '0', '-1', '-0', '1.5', '1e3', '1e400', '0.1e1', '"-0"'],
    ...['"01"', '"+1"', '" 1"', '"1 "', '"0x10"', '"1e3"', '"1.0"', '"NaN"', '[null]', '[[[]]]'],
    ...['"\\ud800"', '"\\u0000"', '{"a":{"b":[]}}', '"closed"', '"opened"', '"settled"'],
    ...['{"__proto__":{}}', '["0x0000000000000000000000000000000000000000"]'],
    '9'.repeat(400),
    `-${'9'.repeat(80)}`,
    text('9'.repeat(400)),
    text('a'.repeat(5_000)),
    text(`0x${'f'.repeat(64)}`),
    text(`0x${'F'.repeat(40)}`),
    text(`0x${'0'.repeat(40)}`),
  ),
  fc.jsonValue({ maxDepth: 2 }).map((value) => text(value)),
  fc.string({ unit: 'binary', maxLength: 20 }).map((value) => text(value)),
);

const record = v.record(v.string(), v.unknown());
const fields = v.object({
  properties: v.optional(record, {}),
  required: v.optional(v.array(v.string()), []),
});
const schemas = v.array(record);
const hexDigits = (count: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${count}}$`)).map((digits) => text(`0x${digits}`));

/** `named` are the document's own schemas; texts are JSON, so that numbers keep all their digits. */
export function createGenerator({ operations, schemas: named }: Document, pools: Pools) {
  function addressFor(name: string): fc.Arbitrary<string> {
    const pool = /token/.test(name) ? pools.token : pools.partner;
    return fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...pool) },
      { weight: 1, arbitrary: fc.constantFrom(...pools.others) },
    );
  }

  function good(schema: JsonSchema, name: string): fc.Arbitrary<string> {
    if (typeof schema === 'boolean') return junk;
    const { $ref, anyOf, type, const: constant, pattern, items } = schema;
    if ($ref === '#/components/schemas/Address') return addressFor(name).map(text);
    if ($ref === '#/components/schemas/Integer') return integer;
    if (typeof $ref === 'string') return good(v.parse(record, named[$ref.slice(21)]), name);
    if (constant !== undefined) return fc.constant(text(constant));
    if (anyOf !== undefined)
      return fc.oneof(...v.parse(schemas, anyOf).map((one) => good(one, name)));
    if (type === 'null') return fc.constant('null');
    if (type === 'array') {
      const list = fc.array(good(v.parse(record, items), name), { maxLength: 3 });
      return list.map((texts) => `[${texts.join(',')}]`);
    }
    if (type === 'object') return objectOf(schema).map(join);
    if (type === 'string' && typeof pattern === 'string' && pattern.includes('{64}'))
      return hexDigits(64);
    return fc.string({ maxLength: 30 }).map(text);
  }

  type Entry = [name: string, text: string];
  const join = (entries: Entry[]) =>
    `{${entries.map(([name, value]) => `${text(name)}:${value}`).join(',')}}`;

  function objectOf(schema: Record<string, unknown>): fc.Arbitrary<Entry[]> {
    const { properties, required } = v.parse(fields, schema);
    const entries = Object.entries(properties).map(([name, field]) => {
      const entry = good(v.parse(record, field), name).map((value): Entry[] => [[name, value]]);
      // The optional fields of a change exclude each other, so mostly only one of them is drawn.
      const odds = required.includes(name) ? 1_000 : 4;
      return fc.oneof(
        { weight: odds, arbitrary: entry },
        { weight: 10, arbitrary: fc.constant([]) },
      );
    });
    return fc.tuple(...entries).map((all) => all.flat());
  }

  const unknownName = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toString', '', 'extra', 'state', 'amount'),
    fc.string({ unit: 'binary', maxLength: 10 }),
  );

  /** An object in which one thing is changed at random, which mostly makes it wrong. */
  function spoilt(schema: Record<string, unknown>): fc.Arbitrary<string> {
    const { properties } = v.parse(fields, schema);
    const name = fc.constantFrom(...Object.keys(properties));
    const entries = objectOf(schema);
    return fc.oneof(
      fc.tuple(entries, name, junk).map(([all, spot, value]) => {
        const rest = all.filter(([name]) => name !== spot);
        return join([...rest, [spot, value]]);
      }),
      fc.tuple(entries, name).map(([all, spot]) => join(all.filter(([name]) => name !== spot))),
      fc
        .tuple(entries, unknownName, junk)
        .map(([all, extra, value]) => join([...all, [extra, value]])),
      fc.tuple(entries, name, junk, integer).map(([all, spot, one, two]) => {
        return join([[spot, one], ...all, [spot, two]]);
      }),
      fc.tuple(entries, fc.nat(40)).map(([all, cut]) => join(all).slice(0, -1 - cut)),
      fc
        .tuple(entries, fc.constantFrom(',', '}', '\u0000', ' x', '//', '{}'))
        .map(([all, more]) => {
          return join(all) + more;
        }),
      junk,
      fc.constantFrom(
        '',
        '[',
        '{"a":}',
        "{'a':1}",
        '['.repeat(5_000),
        '\ufeff{}',
        'undefined',
        `{"a":"${'a'.repeat(70_000)}"}`,
      ),
    );
  }

  function bodyOf(operation: Operation): fc.Arbitrary<string | null> {
    const { body } = operation;
    const senseless = fc.constantFrom(null, null, null, 'null', '{}', '{"broken');
    if (body === null || typeof body === 'boolean') return senseless;
    return fc.oneof(
      { weight: 12, arbitrary: objectOf(body).map(join) },
      { weight: 12, arbitrary: spoilt(body) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
  }

  const badAddress = fc.oneof(
    fc.constantFrom(...pools.token, ...pools.partner).map((address) => address.toLowerCase()),
    fc.constantFrom('0x', '0', 'x'.repeat(300), '0x0', '%00', '%F0%9F%92%A9', '..', '%2e%2e', '*'),
    fc.string({ minLength: 1, maxLength: 50 }).map((name) => encodeURIComponent(name)),
  );

  function pathOf({ path }: Operation): fc.Arbitrary<string> {
    const parts = path.split(/(\{\w+\})/).map((part) => {
      if (!part.startsWith('{')) return fc.constant(part);
      return fc.oneof(
        { weight: 30, arbitrary: addressFor(part) },
        { weight: 1, arbitrary: badAddress },
      );
    });
    return fc.tuple(...parts).map((all) => all.join(''));
  }

  function queryOf({ query }: Operation): fc.Arbitrary<string> {
    const value = fc.oneof(
      { weight: 3, arbitrary: integer.map((json) => json.replaceAll('"', '')) },
      fc.constantFrom('', '-0', '1.5', 'x', '%00', '1e3', '0x1', '%F0', '9'.repeat(200)),
    );
    const name = fc.constantFrom(...Object.keys(query), ...Object.keys(query), 'page', '__proto__');
    const pair = fc.tuple(name, value).map((both) => both.join('='));
    return fc
      .oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(pair, { maxLength: 3 }))
      .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`));
  }

  const type = fc.oneof(
    {
      weight: 30,
      arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', '', 'application/jsonx', 'multipart/form-data'),
    },
  );
  const method = (operation: Operation) =>
    fc.oneof(
      { weight: 30, arbitrary: fc.constant(operation.method) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'GET',
          'PUT',
          'POST',
          'PATCH',
          'DELETE',
          'HEAD',
          'OPTIONS',
          'PROPFIND',
        ),
      },
    );
  const elsewhere = fc.oneof(
    { weight: 300, arbitrary: fc.constant<Record<string, string>>({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom({ origin: 'http://evil.example' }, { host: 'evil.example' }),
    },
  );

  /** Few keys, so that many come again, with the same content and with another. */
  const key = fc.oneof(
    { weight: 20, arbitrary: fc.constant<Record<string, string>>({}) },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom('one', '"one"', 'two', 'three', '"with a blank"', 'k'.repeat(255))
        .map((name) => ({ 'idempotency-key': name })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('', '"', '""', 'a b', 'one, one', '"a"b', 'k'.repeat(256))
        .map((name) => ({ 'idempotency-key': name })),
    },
  );

  function requestTo(operation: Operation): fc.Arbitrary<Generated> {
    return fc
      .tuple(
        method(operation),
        pathOf(operation),
        queryOf(operation),
        bodyOf(operation),
        type,
        elsewhere,
        operation.takesKey ? key : fc.constant({}),
      )
      .map(([method, path, query, body, contentType, more, keyed]) => ({
        operation,
        method,
        path: path + query,
        headers: { ...more, ...keyed, ...(body === null ? {} : { 'content-type': contentType }) },
        body,
      }));
  }

  return fc.oneof(...operations.map((operation) => requestTo(operation)));
}
