/** Payments whose secret travels with the lock over a mediator, which does with it what suits it best. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Secret } from '../../src/basics/hex.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { LockChange } from '../../src/protocol/messages/changes.ts';
import type { SentMessage } from '../../src/protocol/messages/table.ts';
import { routesMetadata, sealedSecretIn } from '../../src/protocol/wire/metadata.ts';
import { isRegistered } from '../support/cheating.ts';
import { type Line, startLine } from '../support/line.ts';
import { secretOf } from '../support/makers.ts';
import { good, startVirtualNetwork, TOKENS, type VirtualNetwork } from '../support/network.ts';
import { linesOf, sentBy } from '../support/sealed.ts';
import { until } from '../support/until.ts';

const FREE = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };
const NAMES = ['alice', 'bob', 'carol'];
const AMOUNT = 3n * TOKENS;
const LIFETIME = 19n;
const REVEAL = 10n;

let network: VirtualNetwork;
let line: Line;
/** What the nodes have said, as it left them or as bob changed it. */
let said: { by: string; message: SentMessage['message'] }[] = [];
/** What bob makes of a lock before he passes it on. */
let forged: (lock: LockChange) => LockChange = (lock) => lock;

/** The node's way to the others; what bob says of locks is changed on it, and signed by him. */
function transportOf(name: string): Transport {
  const signer = network.signerOf(name);
  const inner = network.bus.connect(signer.address);
  const say = network.speaker(signer);
  function changed(sent: SentMessage): SentMessage {
    const { message } = sent;
    if (name !== 'bob' || message.type !== 'Update') return sent;
    const changes = message.changes.map((one) => (one.type === 'lock' ? forged(one) : one));
    return sentBy(signer, { ...message, changes });
  }

  return {
    ...inner,
    publish(to, payload) {
      const messages = network.read(to, payload).map(changed);
      said.push(...messages.map(({ message }) => ({ by: name, message })));
      inner.publish(to, say(network.signerAt(to), linesOf(messages)));
    },
  };
}

beforeAll(async () => {
  network = startVirtualNetwork({ choices: { fees: { byToken: new Map(), others: FREE } } });
  line = await startLine(network, NAMES, (name) => ({ transport: transportOf(name) }));
  // Now both ends know each other's key.
  good(await pay(20));
});
afterAll(() => network?.stop());

/** The payment with this number, whose secret is known to the test. */
const pay = (count: number, parts: Parameters<Line['payment']>[1] = {}) =>
  line.node('alice').pay(line.payment(NAMES, { secret: secretOf(count), paymentId: 7n, ...parts }));

const carols = () => line.held('carol', 'bob');
const alices = () => line.held('alice', 'bob');
const asked = () =>
  said.filter(({ by, message }) => by === 'carol' && message.type === 'SecretRequest').length;
const hasShown = (name: string, secret: Secret) =>
  said.some(
    ({ by, message }) =>
      by === name && message.type === 'RevealSecret' && message.secret === secret,
  );
const locksSaid = () =>
  said.flatMap(({ by, message }) =>
    message.type === 'Update'
      ? message.changes.flatMap((one) => (one.type === 'lock' ? [{ by, ...one }] : []))
      : [],
  );
const sealedOf = (count: number) => {
  const secrethash = secrethashOf(secretOf(count));
  const found = locksSaid().find(
    ({ by, lock }) => by === 'alice' && lock.secrethash === secrethash,
  );
  return found === undefined ? null : sealedSecretIn(found.metadata);
};

/** Alice's payment, which nobody may get: its lock runs out on every hop. */
async function expectExpired(count: number, paying: ReturnType<typeof pay>, why: string) {
  const result = await network.whileMining(paying);
  expect(result).toMatchObject({ ok: false, code: 'lock_expired' });
  expect(result).toHaveProperty('detail', expect.stringContaining(why));
  expect(hasShown('carol', secretOf(count))).toBe(false);
  expect(hasShown('alice', secretOf(count))).toBe(false);
  expect(await isRegistered(network, secretOf(count))).toBe(false);
}

/** Alice's payment with this number, which carol has to ask for, and gets. */
async function expectAskedFor(count: number, parts: Parameters<typeof pay>[1] = {}) {
  const [before, earlier] = [carols(), asked()];
  good(await pay(count, parts));
  await until(() => carols() === before + AMOUNT, 'carol is paid');
  expect(asked()).toBe(earlier + 1);
  expect(hasShown('alice', secretOf(count))).toBe(true);
  await line.expectBooks();
}

describe('a secret that comes with a lock over a mediator', () => {
  it('is not asked for, also when the same identifier has been paid before', async () => {
    said = [];
    const before = carols();
    for (const count of [1, 2]) good(await pay(count));
    await until(() => carols() === before + 2n * AMOUNT, 'carol is paid');
    expect(asked()).toBe(0);
    expect(sealedOf(1)).not.toBeNull();
    expect(sealedOf(1)).not.toBe(sealedOf(2));
    await line.expectBooks();
  });

  it('does not travel with a lock that another route may follow', async () => {
    const route = { route: NAMES.map(network.addressOf), fee: 0n };
    await expectAskedFor(3, { routes: [route, route] });
    expect(sealedOf(3)).toBeNull();
  });

  it.each([
    ['leaves it out', 4, () => routesMetadata(NAMES.map(network.addressOf))],
    ['puts that of another payment in its place', 5, () => routesMetadata([], sealedOf(1))],
    [
      'puts what nobody has sealed in its place',
      6,
      () => routesMetadata([], `0x${'ab'.repeat(92)}`),
    ],
  ])('is asked for when the mediator %s', async (_, count, metadata) => {
    forged = (lock) => ({ ...lock, metadata: metadata() });
    await expectAskedFor(count);
    forged = (lock) => lock;
  });

  it('does not open for another payment identifier, and alice shows it to nobody', async () => {
    const [before, earlier] = [[alices(), carols()], asked()];
    forged = (lock) => ({ ...lock, paymentId: lock.paymentId + 1n });
    const paying = pay(7);
    await until(() => asked() > earlier, 'carol asks');
    forged = (lock) => lock;
    await expectExpired(7, paying, 'did not fit');
    await line.expectBooks();
    expect([alices(), carols()]).toEqual(before);
  });

  it('is asked for by a target that has started anew, and not sent by such an initiator', async () => {
    for (const [name, count] of [
      ['carol', 8],
      ['alice', 9],
    ] as const) {
      await line.stop(name);
      await line.start(name);
      await expectAskedFor(count);
      expect(sealedOf(count) === null).toBe(name === 'alice');
    }
    const earlier = asked();
    good(await pay(10));
    await line.expectBooks();
    expect(asked()).toBe(earlier);
  });
});

describe('a mediator that keeps more than its part', () => {
  it('gets nothing: the target shows no secret, and the initiator sends none', async () => {
    const before = [alices(), carols()];
    await line.stop('bob');
    await line.start('bob', { fees: { byToken: new Map(), others: { ...FREE, flat: 1_000n } } });
    const earlier = asked();
    const paying = pay(11);
    await until(() => asked() > earlier, 'carol asks with what the lock holds');
    await expectExpired(11, paying, 'did not fit');
    expect(sealedOf(11)).not.toBeNull();
    await line.expectBooks();
    expect([alices(), carols()]).toEqual(before);
    await line.stop('bob');
    await line.start('bob');
  });
});

describe('a mediator that holds the lock back', () => {
  async function heldBack(count: number, blocks: bigint) {
    network.bus.cut(...line.between('bob', 'carol'));
    const block = await line.agree();
    const paying = pay(count);
    await until(() => line.pending('bob').length > 0, 'bob has the payment');
    await line.mine(LIFETIME - REVEAL - blocks);
    expect((await line.agree()) - block).toBe(LIFETIME - REVEAL - blocks);
    network.bus.heal(...line.between('bob', 'carol'));
    return paying;
  }

  it('until the last block in which the target can wait is paid off chain', async () => {
    const before = carols();
    good(await heldBack(12, 1n));
    await until(() => carols() === before + AMOUNT, 'carol is paid');
    expect(await isRegistered(network, secretOf(12))).toBe(false);
    await line.expectBooks();
  });

  it('a block longer gets nothing: the target neither shows the secret nor asks for it', async () => {
    const [before, earlier] = [[alices(), carols()], asked()];
    const paying = heldBack(13, 0n);
    await until(() => line.pending('carol').length > 0, 'carol has the lock');
    await expectExpired(13, paying, 'expired before it was claimed');
    expect(asked()).toBe(earlier);
    await line.expectBooks();
    expect([alices(), carols()]).toEqual(before);
  });
});
