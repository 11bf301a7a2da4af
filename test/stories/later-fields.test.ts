/** A payer of a later version: its locks have fields that the mediator and the target do not know. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { noMeter } from '../../src/node/runtime/knowledge/meter.ts';
import type { Transport } from '../../src/partner/transport.ts';
import type { LockChange } from '../../src/protocol/messages/changes.ts';
import type { SentMessage } from '../../src/protocol/messages/table.ts';
import { canonicalJson } from '../support/canonical-json.ts';
import { type Line, startLine } from '../support/line.ts';
import { secretOf } from '../support/makers.ts';
import { good, startVirtualNetwork, TOKENS, type VirtualNetwork } from '../support/network.ts';
import { linesOf, sentBy } from '../support/sealed.ts';
import { until } from '../support/until.ts';

const NAMES = ['alice', 'bob', 'carol'];
const AMOUNT = 3n * TOKENS;

let network: VirtualNetwork;
let line: Line;
const locks: { by: string; lock: LockChange }[] = [];
const written: object[] = [];
const asBefore = (lock: LockChange) => lock;
/** What alice makes of her locks before she signs and sends them. */
let said = asBefore;

function transportOf(name: string): Transport {
  const signer = network.signerOf(name);
  const inner = network.bus.connect(signer.address);
  const say = network.speaker(signer);
  function changed(sent: SentMessage): SentMessage {
    const { message } = sent;
    if (message.type !== 'Update') return sent;
    const changes = message.changes.map((one) =>
      one.type === 'lock' && name === 'alice' ? said(one) : one,
    );
    for (const one of changes) if (one.type === 'lock') locks.push({ by: name, lock: one });
    return sentBy(signer, { ...message, changes });
  }
  return {
    ...inner,
    publish(to, payload) {
      const messages = network.read(to, payload).map(changed);
      inner.publish(to, say(network.signerAt(to), linesOf(messages)));
    },
  };
}

beforeAll(async () => {
  network = startVirtualNetwork();
  const log = { info() {}, warn: (entry: object) => void written.push(entry), error() {} };
  line = await startLine(network, NAMES, (name) => ({
    transport: transportOf(name),
    watch: { log, meter: noMeter },
  }));
});
afterEach(() => {
  said = asBefore;
  locks.length = 0;
});
afterAll(() => network?.stop());

const pay = (count: number) =>
  line.node('alice').pay(line.payment(NAMES, { secret: secretOf(count), amount: AMOUNT }));
const lockBy = (name: string) => locks.find(({ by }) => by === name)?.lock;

it('odd ones are passed over, signed as they are, and stay between the two partners', async () => {
  said = (lock) => ({ ...lock, later: [{ number: 1, content: '0xab' }] });
  good(await pay(1));
  expect(lockBy('alice')?.later).toHaveLength(1);
  expect(lockBy('bob')).not.toHaveProperty('later');
  await line.expectBooks();
});

it('what stands in the metadata reaches the target as it came', async () => {
  said = (lock) => {
    const known: object = JSON.parse(lock.metadata);
    return { ...lock, metadata: canonicalJson({ ...known, tip: { '7': '0xAB' } }) };
  };
  good(await pay(2));
  expect(lockBy('bob')?.metadata).toContain('"tip":{"7":"0xAB"}');
  expect(lockBy('bob')?.metadata).toBe(lockBy('alice')?.metadata);
});

it('an even one holds up the Update until it is said without it', async () => {
  said = (lock) => ({ ...lock, later: [{ number: 2, content: '0xab' }] });
  const paying = pay(3);
  await until(() => written.length > 0, 'bob has refused it');
  expect(written).toMatchObject([
    { reason: 'Update: changes.0.later has an even number that is not known' },
  ]);
  expect(lockBy('bob')).toBeUndefined();
  said = asBefore;
  good(await paying);
  await line.expectBooks();
});
