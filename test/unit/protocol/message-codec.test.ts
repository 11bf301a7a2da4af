import { describe, expect, it } from 'vitest';
import { MAX_CHANGES, MAX_METADATA_BYTES } from '../../../src/protocol/messages/changes.ts';
import {
  decodeBatch,
  decodeMessage,
  encodeMessage,
} from '../../../src/protocol/messages/message-codec.ts';
import { isSigned } from '../../../src/protocol/messages/table.ts';
import { BATCH_LIMIT, MAX_LINE_BYTES, MAX_LINE_DEPTH } from '../../../src/protocol/wire/lines.ts';
import updates from '../../update-vectors.json' with { type: 'json' };
import vectors from '../../vectors.json' with { type: 'json' };
import { publishedCases } from './support.ts';

type Wire = { [name: string]: unknown };

function wireOf(name: string): Wire {
  const row = publishedCases.find((one) => one.name === name);
  if (row === undefined) throw new Error(`no vector ${name}`);
  return { ...row.json };
}

const [ONE_LOCK, ONE_UNLOCK, ONE_EXPIRED] = updates.cases.map(({ json }): Wire => ({ ...json }));
if (ONE_LOCK === undefined || ONE_UNLOCK === undefined || ONE_EXPIRED === undefined)
  throw new Error('no vectors');
const UNLOCK = ONE_UNLOCK;
const LOCK: Wire = { ...updates.cases[0]?.json.changes[0] };
const PAID: Wire = { ...updates.cases[1]?.json.changes[0] };
const GONE: Wire = { ...updates.cases[2]?.json.changes[0] };
/** An Update with this change, or with these. */
const withChanges = (...changes: unknown[]): Wire => ({ ...UNLOCK, changes });
const metadataOf = (wire: Wire) => {
  const { message } = messageOf(wire);
  const [change] = message.type === 'Update' ? message.changes : [];
  return change !== undefined && 'metadata' in change ? change.metadata : null;
};
const REQUEST = wireOf('light-client/WithdrawRequest');
const PROCESSED = wireOf('light-client/Processed');
/** Of these a contract reads the signature. */
const SIGNED_TYPES = ['WithdrawRequest', 'WithdrawConfirmation'];
const SYNC: Wire = {
  type: 'Sync',
  message_identifier: '1',
  chain_id: '337',
  token_network_address: UNLOCK['token_network_address'],
  channel_identifier: '1338',
  signed_nonce: '0',
  accepted_nonce: '0',
  balance_hash: `0x${'00'.repeat(32)}`,
  additional_hash: `0x${'00'.repeat(32)}`,
  proof_signature: `0x${'00'.repeat(65)}`,
  answer: true,
};

function decode(wire: Wire) {
  return decodeMessage(JSON.stringify(wire));
}

function reasonOf(line: string | Uint8Array): string | null {
  const result = decodeMessage(line);
  return result.ok ? null : result.reason;
}

/** The message in the wire fields; fails the test when it is refused. */
function messageOf(wire: Wire) {
  const result = decode(wire);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

describe('a line', () => {
  const services = ['PFSCapacityUpdate', 'PFSFeeUpdate', 'RequestMonitoring'];
  const published = publishedCases.filter(({ json }) => !services.includes(json.type));
  const rows: { name: string; json: Wire }[] = [...published, ...updates.cases];

  it.each(rows)('of $name is written as it was read', ({ json }) => {
    const sent = messageOf(json);
    const written = encodeMessage(sent);
    expect(written).not.toContain('\n');
    const lowerCase = (text: string): unknown => JSON.parse(text.toLowerCase());
    const full = json['type'] === 'WithdrawRequest' ? { coop_settle: false, ...json } : { ...json };
    if (!isSigned(sent.message)) delete Object(full).signature;
    expect(lowerCase(written)).toEqual(lowerCase(JSON.stringify(full)));
    expect(decodeMessage(Buffer.from(written))).toEqual({
      ok: true,
      value: sent,
    });
  });

  const CHANNEL = 'message_identifier chain_id token_network_address channel_identifier';
  const WITHDRAW = `${CHANNEL} participant total_withdraw nonce expiration`;
  it.each([
    ['Update', `${CHANNEL} nonce transferred_amount locked_amount locksroot signature changes`],
    ['Delivered', 'delivered_message_identifier'],
    ['Processed', 'message_identifier'],
    ['SecretRequest', 'message_identifier payment_identifier secrethash token amount expiration'],
    ['RevealSecret', 'message_identifier secret'],
    ['WithdrawRequest', `${WITHDRAW} coop_settle signature`],
    ['WithdrawConfirmation', `${WITHDRAW} signature`],
    ['WithdrawExpired', WITHDRAW],
  ])('of type %s has these names, in this order, and no blanks', (type, names) => {
    const { json } = rows.find((one) => one.json['type'] === type) ?? {};
    const line = encodeMessage(messageOf(json ?? {}));
    const written: object = JSON.parse(line);
    expect(Object.keys(written).join(' ')).toBe(`type ${names}`);
    expect(JSON.stringify(written)).toBe(line);
  });

  it('is read the same as text and as bytes', () => {
    const line = JSON.stringify(ONE_LOCK);
    expect(decodeMessage(new TextEncoder().encode(line))).toEqual(decodeMessage(line));
  });

  it('may have fields that nobody knows', () => {
    const extra = { ...PROCESSED, unknown: { deeper: [1.5, null, '\ud800'] } };
    expect(decode(extra)).toEqual(decode(PROCESSED));
  });

  it('may lack what is optional', () => {
    for (const absent of [REQUEST, { ...REQUEST, coop_settle: null }]) {
      expect(messageOf(absent).message).toMatchObject({ coopSettle: false });
    }
    const settle = messageOf({ ...REQUEST, coop_settle: true });
    expect(settle.message).toMatchObject({ coopSettle: true });
    expect(JSON.parse(encodeMessage(settle))).toMatchObject({
      coop_settle: true,
    });
  });

  it('may have addresses and hashes in any case, which become one', () => {
    const shouted = JSON.stringify(UNLOCK).replace(/0x[0-9a-f]+/gi, (hex) =>
      hex.toUpperCase().replace('0X', '0x'),
    );
    expect(decodeMessage(shouted)).toEqual(decode(UNLOCK));
    expect(messageOf(UNLOCK).message).toMatchObject({
      tokenNetwork: '0x6E6574776F726b6E6574776F726b6e6574776f72',
      locksroot: vectors.constants.LOCKSROOT_OF_NO_LOCKS,
    });
  });

  it('may have metadata of exactly the largest size, counted as UTF-8', () => {
    const around = Buffer.byteLength('{"x":"é"}');
    const x = `é${'x'.repeat(MAX_METADATA_BYTES - around)}`;
    expect(metadataOf(withChanges({ ...LOCK, metadata: { x } }))).toBe(`{"x":"${x}"}`);
    const larger = withChanges({ ...LOCK, metadata: { x: `${x}x` } });
    expect(reasonOf(JSON.stringify(larger))).toMatch('metadata');
  });

  it('keeps metadata with its values as they came, names sorted', () => {
    const metadata = { secret: '0xAB', routes: [{ route: ['0xAb', 'ß'], address_metadata: {} }] };
    expect(metadataOf(withChanges({ ...LOCK, metadata }))).toBe(
      '{"routes":[{"address_metadata":{},"route":["0xAb","ß"]}],"secret":"0xAB"}',
    );
  });
});

describe('a signature', () => {
  const body = '11'.repeat(64);
  it.each([
    ['00', '1b'],
    ['01', '1c'],
    ['1b', '1b'],
    ['1C', '1c'],
  ])('that ends in %s ends in %s when it was read', (came, kept) => {
    const { signature } = messageOf({ ...UNLOCK, signature: `0x${body}${came}` });
    expect(signature).toBe(`0x${body}${kept}`);
  });

  it.each(['02', '1a', '1d', 'ff'])('that ends in %s is refused', (recovery) => {
    const line = JSON.stringify({ ...UNLOCK, signature: `0x${body}${recovery}` });
    expect(reasonOf(line)).toMatch('signature');
  });

  it('is needed by what contracts read alone, and elsewhere not looked at', () => {
    const bare = { ...PROCESSED, signature: undefined };
    expect(messageOf(bare)).toEqual({ ...messageOf(PROCESSED), signature: null });
    expect(messageOf({ ...bare, signature: 'nonsense' })).toEqual(messageOf(PROCESSED));
    const types = publishedCases.flatMap(({ json }) => {
      const { signature: _, ...unsigned } = json;
      return decode(unsigned).ok ? [] : [json.type];
    });
    expect([...new Set(types)].toSorted()).toEqual(
      [...SIGNED_TYPES, 'PFSCapacityUpdate', 'PFSFeeUpdate', 'RequestMonitoring'].toSorted(),
    );
  });
});

const BAD: [string, Wire, Wire, string][] = [
  ['an integer that is no text', UNLOCK, { nonce: 1 }, 'nonce'],
  ['nonce 0', UNLOCK, { nonce: '0' }, 'nonce'],
  ['nonce 0 in a withdraw', REQUEST, { nonce: '0' }, 'nonce'],
  ['nonce 2^64', UNLOCK, { nonce: '18446744073709551616' }, 'nonce'],
  ['channel 0', UNLOCK, { channel_identifier: '0' }, 'channel_identifier'],
  ['an amount of 2^256', UNLOCK, { transferred_amount: String(2n ** 256n) }, 'transferred_amount'],
  ['a negative amount', UNLOCK, { locked_amount: '-1' }, 'locked_amount'],
  ['leading zeros', UNLOCK, { chain_id: '0337' }, 'chain_id'],
  ['60,000 digits', UNLOCK, { chain_id: '9'.repeat(60_000) }, 'chain_id'],
  ['a short address', withChanges({ ...LOCK, ...{ target: '0x1234' } }), {}, 'changes.0.target'],
  [
    'an address without 0x',
    withChanges({ ...LOCK, ...{ token: '11'.repeat(21) } }),
    {},
    'changes.0.token',
  ],
  [
    'an address in a list',
    withChanges({ ...LOCK, ...{ recipient: [LOCK['recipient']] } }),
    {},
    'changes.0.recipient',
  ],
  ['a hash that is no hex', UNLOCK, { locksroot: `0x${'0g'.repeat(32)}` }, 'locksroot'],
  [
    'a lone surrogate',
    withChanges({ ...PAID, secret: `0x${'\ud800'.repeat(64)}` }),
    {},
    'changes.0.secret',
  ],
  ['no lock', withChanges({ ...LOCK, ...{ lock: undefined } }), {}, 'changes.0.lock.amount'],
  [
    'a lock that is a list',
    withChanges({ ...LOCK, ...{ lock: ['1'] } }),
    {},
    'changes.0.lock.amount',
  ],
  [
    'a lock without expiration',
    withChanges({ ...LOCK, ...{ lock: { amount: '1' } } }),
    {},
    'changes.0.lock.expiration',
  ],
  ['no metadata', withChanges({ ...LOCK, ...{ metadata: undefined } }), {}, 'changes.0.metadata'],
  [
    'metadata that is text',
    withChanges({ ...LOCK, ...{ metadata: '{}' } }),
    {},
    'changes.0.metadata',
  ],
  [
    'metadata that is a list',
    withChanges({ ...LOCK, ...{ metadata: [] } }),
    {},
    'changes.0.metadata',
  ],
  [
    'a fraction in metadata',
    withChanges({ ...LOCK, ...{ metadata: { x: 0.1 } } }),
    {},
    'changes.0.metadata',
  ],
  [
    'a lone surrogate in metadata',
    withChanges({ ...LOCK, ...{ metadata: { x: '\udc00' } } }),
    {},
    'changes.0.metadata',
  ],
  [
    'too much metadata',
    withChanges({ ...LOCK, ...{ metadata: { x: 'x'.repeat(MAX_METADATA_BYTES) } } }),
    {},
    'changes.0.metadata',
  ],
  ['no changes', UNLOCK, { changes: undefined }, 'changes '],
  ['an empty list of changes', UNLOCK, { changes: [] }, 'changes '],
  ['changes that are no list', UNLOCK, { changes: { 0: PAID } }, 'changes '],
  ['one change too many', withChanges(...Array(MAX_CHANGES + 1).fill(PAID)), {}, 'changes '],
  ['a change that is null', withChanges(PAID, null), {}, 'changes.1.type'],
  ['a change that is a list', withChanges([PAID]), {}, 'changes.0.type'],
  ['a change without a type', withChanges({ ...PAID, type: undefined }), {}, 'changes.0.type'],
  ['a change of no type', withChanges(GONE, { ...PAID, type: 'Unlock' }), {}, 'changes.1.type'],
  ['a type of Object.prototype', withChanges({ ...PAID, type: 'toString' }), {}, 'changes.0.type'],
  [
    'a wrong change among good ones',
    withChanges(LOCK, { ...PAID, secret: '0x1' }, GONE),
    {},
    'changes.1.secret',
  ],
  [
    'an expiry without a hash',
    withChanges({ ...GONE, secrethash: undefined }),
    {},
    'changes.0.secrethash',
  ],
  [
    'an expiry without a recipient',
    withChanges({ ...GONE, recipient: 1 }),
    {},
    'changes.0.recipient',
  ],
  [
    'a payment of 2^64',
    withChanges({ ...PAID, payment_identifier: '18446744073709551616' }),
    {},
    'changes.0.payment_identifier',
  ],
  ['a flag that is text', REQUEST, { coop_settle: 'true' }, 'coop_settle'],
  ['no signature', UNLOCK, { signature: undefined }, 'signature'],
  ['a short signature', UNLOCK, { signature: `0x${'11'.repeat(64)}` }, 'signature'],
  ['a Sync without answer', SYNC, { answer: undefined }, 'answer'],
  ['a Sync that proves nothing', SYNC, { accepted_nonce: '1' }, 'proof_signature'],
  ['a Sync that proves too much', SYNC, { balance_hash: UNLOCK['locksroot'] }, 'proof_signature'],
  ['a Sync that binds too much', SYNC, { additional_hash: UNLOCK['locksroot'] }, 'proof_signature'],
  ['an inner signature on v 0', SYNC, { proof_signature: `0x${'11'.repeat(64)}00` }, 'proof_signa'],
  [
    'an inner signature of a proven nonce on v 0',
    SYNC,
    { accepted_nonce: '1', proof_signature: `0x${'11'.repeat(64)}00` },
    'proof_signature',
  ],
];

describe('what is refused', () => {
  it('is not the message that the next cases spoil', () => {
    for (const wire of [ONE_LOCK, UNLOCK, ONE_EXPIRED, REQUEST, SYNC])
      expect(decode(wire).ok).toBe(true);
  });

  it.each(BAD)('is %s', (_, wire, change, reason) => {
    expect(reasonOf(JSON.stringify({ ...wire, ...change }))).toContain(`: ${reason}`);
  });

  it.each([
    ['nothing', '', 'not JSON'],
    ['half an object', '{"type":"Processed"', 'not JSON'],
    ['a list', '[]', 'not an object'],
    ['null', 'null', 'not an object'],
    ['a text', '"Processed"', 'not an object'],
    ['a number too large for JavaScript', '1e999', 'not an object'],
    ['an object without a type', '{}', 'unknown type'],
    ['a type of Object.prototype', '{"type":"toString"}', 'unknown type'],
    ['__proto__ as the type', '{"type":"__proto__"}', 'unknown type'],
    ['a type that is no text', '{"type":["Processed"]}', 'unknown type'],
    ['a name that stands twice', '{"type":"Processed","type":"Delivered"}', 'twice'],
    ['a name that stands twice further in', '{"x":[{"a":1,"\\u0061":1}]}', 'twice'],
    ['__proto__', '{"__proto__":{"type":"Processed"}}', '__proto__'],
    ['__proto__ in disguise', '{"x":{"\\u005f_proto__":1}}', '__proto__'],
    ['nesting that is too deep', nested(MAX_LINE_DEPTH + 1), 'deep'],
    ['deep nesting in an unknown field', `{"x":${nested(30_000)}}`, 'deep'],
    ['a byte order mark', '\ufeff{"type":"Processed"}', 'not JSON'],
    ['a string without an end', '{"type":"Processed\\"', 'no end'],
  ])('is %s', (_, line, reason) => {
    expect(reasonOf(line)).toContain(reason);
    expect(reasonOf(Buffer.from(line))).toContain(reason);
  });

  it('is a colon more or less, even when names stand twice elsewhere', () => {
    expect(reasonOf('{"a":1,"a":"x:y"}')).toContain('twice');
    expect(reasonOf('{"a":"\\\\","b":":\\":"}')).toBe('unknown type');
  });

  it('is not UTF-8', () => {
    expect(reasonOf(new Uint8Array([0x22, 0xff, 0x22]))).toContain('UTF-8');
    expect(reasonOf(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]))).toContain('UTF-8');
  });

  it('is one byte too long, counted as UTF-8', () => {
    const padded = (fill: string) => JSON.stringify({ ...PROCESSED, fill });
    const room = MAX_LINE_BYTES - padded('').length;
    expect(reasonOf(padded('x'.repeat(room)))).toBeNull();
    expect(reasonOf(padded('x'.repeat(room + 1)))).toContain('longer');
    expect(reasonOf(Buffer.from(padded('x'.repeat(room + 1))))).toContain('longer');
    expect(reasonOf(padded('é'.repeat(room / 2 + 1)))).toContain('longer');
    expect(reasonOf(`{"type":"Processed","x":${'9'.repeat(1_000_000)}}`)).toContain('longer');
  });

  it('is told without its values', () => {
    const secret = '0x5ec4e7';
    expect(reasonOf(JSON.stringify(withChanges({ ...PAID, secret })))).toBe(
      'Update: changes.0.secret is missing or malformed',
    );
  });
});

describe('an Update', () => {
  const { changes: most } = updates.cases.at(-1)?.json ?? { changes: [] };

  it('may have 32 changes', () => {
    const { message } = messageOf(withChanges(...most));
    expect(message.type === 'Update' && message.changes).toHaveLength(MAX_CHANGES);
  });

  it('keeps the order of its changes', () => {
    const { message } = messageOf(withChanges(GONE, LOCK, PAID));
    expect(message.type === 'Update' && message.changes.map(({ type }) => type)).toEqual([
      'expired',
      'lock',
      'unlock',
    ]);
  });
});

describe('a batch', () => {
  const line = JSON.stringify(PROCESSED);

  it('is read line by line, the good beside the bad', () => {
    const batch = decodeBatch(Buffer.from(`${line}\n\nnonsense\r\n${line}\r\n${line}`));
    expect(batch.messages).toHaveLength(3);
    expect(batch.refused).toEqual([{ line: 3, reason: 'not JSON' }]);
  });

  it('ends at its last line break', () => {
    expect(decodeBatch(Buffer.from(`${line}\n`))).toEqual({
      messages: [messageOf(PROCESSED)],
      refused: [],
    });
    expect(decodeBatch(new Uint8Array(0))).toEqual({ messages: [], refused: [] });
  });

  it('is refused unread when it is too large', () => {
    const batch = decodeBatch(new Uint8Array(BATCH_LIMIT.bytes + 1).fill(0x0a));
    expect(batch.messages).toEqual([]);
    expect(batch.refused).toEqual([{ line: 0, reason: expect.stringContaining('longer') }]);
  });

  it('is read up to its last allowed line, empty ones counted', () => {
    const batch = decodeBatch(Buffer.from(`${line}\n\n${line}\n${line}`), {
      bytes: 9999,
      lines: 3,
    });
    expect(batch.messages).toHaveLength(2);
    expect(batch.refused).toEqual([{ line: 4, reason: 'more than 3 lines' }]);
    const blank = decodeBatch(new Uint8Array(BATCH_LIMIT.bytes).fill(0x0a));
    expect(blank.refused).toEqual([{ line: BATCH_LIMIT.lines + 1, reason: expect.any(String) }]);
  });
});
