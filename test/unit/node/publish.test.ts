import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Send } from '../../../machines/effects.ts';
import { noFault } from '../../../src/basics/fault.ts';
import type { Address, Hex } from '../../../src/basics/hex.ts';
import { createAllowance } from '../../../src/node/messaging/allowance.ts';
import { createInbox } from '../../../src/node/messaging/inbox.ts';
import { createIntroductions } from '../../../src/node/messaging/introductions.ts';
import { createPublisher } from '../../../src/node/messaging/publish.ts';
import type { Delivery } from '../../../src/node/runtime/commits/delivery.ts';
import { createOutbox } from '../../../src/node/runtime/outbox/outbox.ts';
import { DEFAULT_FEE_TERMS } from '../../../src/protocol/fees/fee-terms.ts';
import { decodeBatch } from '../../../src/protocol/messages/message-codec.ts';
import type { Message, SentMessage } from '../../../src/protocol/messages/table.ts';
import { routesMetadata } from '../../../src/protocol/wire/metadata.ts';
import { recover } from '../../../src/signer/ecdsa.ts';
import { createSigner } from '../../../src/signer/signer.ts';
import { changeIn, sync } from '../../support/channel-makers.ts';
import { factOf } from '../../support/fact.ts';
import { EXPIRATION, hashOf, NETWORK, SIGNATURE, secretOf, TOKEN } from '../../support/makers.ts';
import { linesOf, sealingOf, sentBy, speaker } from '../../support/sealed.ts';
import { expiredChange, lockChange, updateOf } from '../../support/update-makers.ts';

const alice = createSigner(new Uint8Array(32).fill(1));
const bob = createSigner(new Uint8Array(32).fill(2));
const carol = createSigner(new Uint8Array(32).fill(3));
const CHAIN_ID = 1n;
const network = { chainId: CHAIN_ID, tokenNetworkRegistry: NETWORK };
const place = { chainId: CHAIN_ID, tokenNetwork: NETWORK, channelId: 1n };
const withdraw = { participant: alice.address, totalWithdraw: 1n, expiration: EXPIRATION };

/** One of each that is on its way between two nodes. */
const MESSAGES: Message[] = [
  {
    ...updateOf(1n, [
      lockChange({ recipient: bob.address }),
      { type: 'unlock', paymentId: 1n, secret: secretOf(1) },
      expiredChange(bob.address),
    ]),
    messageId: 5n,
  },
  { type: 'WithdrawRequest', ...place, ...withdraw, messageId: 5n, nonce: 1n, coopSettle: false },
  { type: 'WithdrawConfirmation', ...place, ...withdraw, messageId: 5n, nonce: 1n },
  { type: 'WithdrawExpired', ...place, ...withdraw, messageId: 5n, nonce: 1n },
  { type: 'Processed', messageId: 5n },
  { type: 'RevealSecret', messageId: 5n, secret: secretOf(1) },
  {
    type: 'SecretRequest',
    messageId: 5n,
    paymentId: 1n,
    secrethash: hashOf(1),
    token: TOKEN,
    amount: 1n,
    expiration: EXPIRATION,
  },
];

function reveal(to: Address): Send {
  const message = { type: 'RevealSecret', secret: secretOf(1) } as const;
  return { type: 'send.message', key: `reveal:${to}`, to, queue: null, message };
}

/** Alice's side of the wire, on which nobody answers before the test says so. */
function speaking({ signingMs = 0, syncs = 1_000 } = {}) {
  let drawn = 100n;
  let time = 0;
  const left: { to: Address; messages: SentMessage[] }[] = [];
  const asked: Address[] = [];
  let signatures = 0;
  /** What was sealed last. */
  let messages: SentMessage[] = [];
  const outbox = createOutbox({ rows: [], drawId: () => ++drawn, elapsed: () => time });
  const introductions = createIntroductions({
    ask: (address) => {
      asked.push(address);
      return new Promise(() => {});
    },
    onMet(address) {
      outbox.hurry(address);
      publisher.repeat(outbox.due().entries);
      publisher.flush();
    },
  });
  const sealing = sealingOf(alice, network, { onMet: introductions.met });
  const publisher = createPublisher({
    signer: {
      sign(digest) {
        signatures += 1;
        time += signingMs;
        return alice.sign(digest);
      },
    },
    sealing: {
      knows: sealing.knows,
      seal(to, lines) {
        messages = decodeBatch(lines).messages;
        return sealing.seal(to, lines);
      },
    },
    transport: { publish: (to) => void left.push({ to, messages }) },
    maySpeak: () => true,
    outbox,
    introduce: introductions.introduce,
    drawId: () => ++drawn,
    maySync: () => syncs-- > 0,
    now: () => time,
    isPressed: () => false,
    fault: noFault,
  });
  return {
    left,
    asked,
    outbox,
    publisher,
    sealing,
    signatures: () => signatures,
    post(effect: Send) {
      const { key, messageId } = outbox.add(effect);
      publisher.post(key, messageId);
      publisher.flush();
    },
    pass(ms: number) {
      time += ms;
      publisher.repeat(outbox.due().entries);
      publisher.flush();
    },
  };
}

describe('what leaves a node', () => {
  it('waits in the outbox for a key, which is asked for once, and leaves when it is known', async () => {
    const { post, pass, left, asked, sealing, outbox } = speaking();
    post(reveal(bob.address));
    await nextRound();
    pass(1_200);
    await nextRound();
    expect([left, asked, outbox.size()]).toEqual([[], [bob.address], 1]);
    sealing.learn(bob.address, bob.publicKey);
    expect(left.map(({ to }) => to)).toEqual([bob.address]);
    await nextRound();
    pass(999);
    expect(left).toHaveLength(1);
    await nextRound();
    pass(1);
    expect(left).toHaveLength(2);
  });

  it('does not wait for the key of somebody else', () => {
    const { post, left, asked, sealing } = speaking();
    sealing.learn(carol.address, carol.publicKey);
    post(reveal(bob.address));
    post(reveal(carol.address));
    expect([left.map(({ to }) => to), asked]).toEqual([[carol.address], [bob.address]]);
  });

  it('is signed where a contract reads it, and nowhere else', () => {
    const { post, left, sealing, signatures } = speaking();
    sealing.learn(bob.address, bob.publicKey);
    post(reveal(bob.address));
    expect([signatures(), left[0]?.messages[0]?.signature]).toEqual([0, null]);
    const effect = { key: 'a', to: bob.address, queue: null, message: updateOf(1n) };
    post({ type: 'send.message', ...effect });
    expect(signatures()).toBe(1);
    expect(left[1]?.messages[0]?.signature).toHaveLength(132);
  });

  const expired = (nonce: bigint): Send => {
    const message = updateOf(nonce);
    return { type: 'send.message', key: `${nonce}`, to: bob.address, queue: 'channel', message };
  };

  it('is signed once: what is sent again are the same bytes', async () => {
    const { post, pass, left, sealing, signatures } = speaking();
    sealing.learn(bob.address, bob.publicKey);
    post(expired(1n));
    await nextRound();
    pass(1_000);
    const [first, second] = left.flatMap(({ messages }) => messages);
    expect([signatures(), second]).toEqual([1, first]);
  });

  it('takes 8 milliseconds of a round to sign, and the rest of it the next rounds', async () => {
    const { left, outbox, publisher, sealing } = speaking({ signingMs: 4 });
    sealing.learn(bob.address, bob.publicKey);
    for (let nonce = 1n; nonce <= 5n; nonce++) {
      const { key, messageId } = outbox.add(expired(nonce));
      publisher.post(key, messageId);
    }
    publisher.flush();
    const counts = () => left.map(({ messages }) => messages.length);
    expect(counts()).toEqual([2]);
    await nextRound();
    await nextRound();
    expect(counts()).toEqual([2, 2, 1]);
  });

  it('is not signed when it was answered while it waited to be', async () => {
    const { outbox, publisher, sealing, signatures } = speaking({ signingMs: 8 });
    sealing.learn(bob.address, bob.publicKey);
    for (const nonce of [1n, 2n]) {
      const { key, messageId } = outbox.add(expired(nonce));
      publisher.post(key, messageId);
    }
    publisher.flush();
    outbox.remove('2');
    await nextRound();
    expect(signatures()).toBe(1);
  });

  it('is one Sync for each channel at a time, the newest, and no more than allowed', () => {
    const { left, publisher, sealing } = speaking({ syncs: 2 });
    sealing.learn(bob.address, bob.publicKey);
    const said = (signedNonce: bigint) => {
      const { message } = sync({ signedNonce, acceptedNonce: 1n });
      publisher.once({ type: 'send.sync', to: bob.address, message });
    };
    for (let nonce = 1n; nonce <= 1_000n; nonce++) said(nonce);
    publisher.flush();
    for (let round = 0; round < 3; round++) {
      said(7n);
      publisher.flush();
    }
    const nonces = left.flatMap(({ messages }) =>
      messages.map(({ message }) => factOf(message, 'signedNonce')),
    );
    expect(nonces).toEqual([1_000n, 7n]);
  });

  it('uses up nothing of what a channel may say by a Sync for whose recipient nothing can be sealed', () => {
    const { left, publisher, sealing } = speaking({ syncs: 1 });
    const say = () => {
      const { message } = sync({ acceptedNonce: 1n });
      publisher.once({ type: 'send.sync', to: bob.address, message });
      publisher.flush();
      return left.length;
    };
    expect(say()).toBe(0);
    sealing.learn(bob.address, bob.publicKey);
    expect([say(), say()]).toEqual([1, 1]);
  });

  it('asks for no more keys at once than there is room for', () => {
    const asked: Address[] = [];
    const introductions = createIntroductions({
      async ask(address) {
        asked.push(address);
        return new Promise(() => {});
      },
      onMet() {},
    });
    for (let n = 0; n < 1_000; n++)
      introductions.introduce(`0x${n.toString(16).padStart(40, '0')}`);
    expect(asked).toHaveLength(256);
  });
});

/** Bob's side: what comes to his actors. */
function listening(isPartner = true, hasChannel = true) {
  const sealing = sealingOf(bob, network, { isPartner: () => isPartner });
  sealing.learn(alice.address, alice.publicKey);
  const clock = { now: 0, openMs: 0 };
  const state = { isReady: true, isReadySoon: true };
  const asked: unknown[] = [];
  const refused: string[] = [];
  const delivered: Delivery[] = [];
  const acknowledged: string[] = [];
  let looks = 0;
  const inbox = createInbox({
    own: bob.address,
    chainId: CHAIN_ID,
    fault: noFault,
    recover(digest, signature) {
      looks += 1;
      return recover(digest, signature);
    },
    feesOf: () => DEFAULT_FEE_TERMS,
    mayPayLate: () => true,
    sentIn: () => null,
    keepersOf: () => [],
    claimOf: sealing.claimOf,
    open(payload) {
      clock.now += clock.openMs;
      return sealing.open(payload);
    },
    openSecret(initiator, payment, lockAmount, sealed) {
      asked.push({ initiator, payment, lockAmount, sealed });
      return secretOf(1);
    },
    allowance: createAllowance({ isPartner: () => isPartner, now: () => 0 }),
    isPartner: () => isPartner,
    hasChannel: () => hasChannel,
    isPressed: () => false,
    isReady: () => state.isReady,
    isReadySoon: () => state.isReadySoon,
    turn: (_, deliveries) => void delivered.push(...deliveries),
    acknowledge: (id, sender) => void acknowledged.push(`${id} ${sender}`),
    onHeard() {},
    onRefused: (reason) => void refused.push(reason),
    now: () => clock.now,
  });
  const { take, goOn } = inbox;
  return { take, goOn, state, clock, refused, delivered, acknowledged, asked, looks: () => looks };
}
const sayAsAlice = speaker(alice, network);
const fromAlice = (...messages: SentMessage[]) => sayAsAlice(bob, linesOf(messages));

describe('a payload of a partner', () => {
  it('has its turn, however much strangers have sent before it', async () => {
    const { take, clock, delivered } = listening();
    clock.openMs = 8;
    for (let count = 0; count < 2_000; count++) take(new Uint8Array(20));
    take(fromAlice(sentBy(alice, transfer())));
    for (let round = 0; round < 3; round++) await nextRound();
    expect(delivered).toHaveLength(1);
  });

  it('has its turn, however often strangers have sent again what it has said', async () => {
    const { take, clock, delivered } = listening();
    const said = fromAlice({ message: { type: 'Processed', messageId: 7n }, signature: null });
    take(said);
    clock.openMs = 8;
    for (let count = 0; count < 20_000; count++) take(said);
    take(fromAlice(sentBy(alice, transfer())));
    for (let round = 0; round < 3; round++) await nextRound();
    expect(delivered).toHaveLength(1);
  });
});

describe('a payload that comes to a node that is not ready', () => {
  const reading = { isReady: false, isReadySoon: true };

  it('waits while the node reads the blocks that it has seen, and is taken when they are read', () => {
    const { take, goOn, state, delivered } = listening();
    Object.assign(state, reading);
    take(fromAlice(sentBy(alice, transfer())));
    expect(delivered).toEqual([]);
    state.isReady = true;
    goOn();
    expect(delivered).toHaveLength(1);
  });

  it('is dropped when the node does not get ready after all, or was not about to', () => {
    const { take, goOn, state, delivered } = listening();
    Object.assign(state, reading);
    take(fromAlice(sentBy(alice, transfer())));
    state.isReadySoon = false;
    goOn();
    take(fromAlice(sentBy(alice, transfer())));
    Object.assign(state, { isReady: true, isReadySoon: true });
    goOn();
    expect(delivered).toEqual([]);
  });
});

const SEALED: Hex = `0x${'ab'.repeat(92)}`;

function transfer(parts: { initiator?: Address; target?: Address; metadata?: string } = {}) {
  const { initiator = alice.address, target = bob.address, metadata } = parts;
  const lock = { amount: 10n, expiration: EXPIRATION, secrethash: hashOf(1) };
  const about = { token: NETWORK, recipient: bob.address, initiator, target, lock };
  const route = [alice.address, bob.address];
  const payment = { paymentId: 7n, metadata: metadata ?? routesMetadata(route, SEALED) };
  const change = { type: 'lock' as const, ...about, ...payment };
  return { ...updateOf(1n, [change]), messageId: 5n };
}

const secretsIn = (delivered: readonly Delivery[]) =>
  delivered.flatMap(({ event }) =>
    event.type === 'msg.update' ? event.facts.map((facts) => factOf(facts, 'secret')) : [],
  );

describe('the secret in a lock', () => {
  it('is opened for the payment that the lock is of, and comes with the transfer', () => {
    const { take, delivered, asked } = listening();
    take(fromAlice(sentBy(alice, transfer())));
    expect(secretsIn(delivered)).toEqual([secretOf(1)]);
    const { lock, paymentId } = changeIn(transfer(), 'lock');
    const { secrethash, amount: lockAmount } = lock;
    const payment = { secrethash, paymentId, token: NETWORK };
    expect(asked).toEqual([{ initiator: alice.address, payment, lockAmount, sealed: SEALED }]);
  });

  it('is opened as that of the initiator when a mediator passes the lock on', () => {
    const { take, delivered, asked } = listening();
    take(fromAlice(sentBy(alice, transfer({ initiator: carol.address }))));
    expect(secretsIn(delivered)).toEqual([secretOf(1)]);
    expect(asked).toMatchObject([{ initiator: carol.address, sealed: SEALED }]);
  });

  it.each([
    ['the transfer is for somebody else', { target: carol.address }],
    ['there is none', { metadata: routesMetadata([alice.address, bob.address]) }],
    ['it has another length', { metadata: '{"routes":[],"secret":"0xabab"}' }],
    ['it is no text', { metadata: '{"routes":[],"secret":7}' }],
    ['the word stands elsewhere', { metadata: '{"routes":["\\"secret\\""]}' }],
  ])('is not looked for when %s', (_, parts) => {
    const { take, delivered, asked } = listening();
    take(fromAlice(sentBy(alice, transfer(parts))));
    expect(secretsIn(delivered)).toEqual([null]);
    expect(asked).toEqual([]);
  });
});

describe('what comes to a node', () => {
  it('counts as a message of the node that sealed it', () => {
    const { take, refused, delivered, acknowledged } = listening();
    take(fromAlice(...MESSAGES.map((message) => sentBy(alice, message))));
    expect(refused).toEqual([]);
    const senders = delivered.map(({ event }) => factOf(event, 'sender'));
    expect(new Set(senders)).toEqual(new Set([alice.address]));
    expect(acknowledged).toEqual([`5 ${alice.address}`]);
    const signed = delivered.filter(({ event }) => 'signature' in event);
    expect(signed.map(({ event }) => event.type)).toEqual([
      'msg.update',
      'msg.withdrawRequest',
      'msg.withdrawConfirmation',
    ]);
  });

  it('is refused without a look at its signature when there is no channel with the sender', () => {
    const { take, refused, looks } = listening(false);
    const signed = MESSAGES.filter((message) => sentBy(alice, message).signature !== null);
    take(fromAlice(...signed.map((message) => sentBy(alice, message))));
    expect(refused).toEqual(signed.map(() => 'signed by somebody without a channel'));
    expect(looks()).toBe(0);
  });

  it('is not taken unsealed, whoever signed it', () => {
    const { take, refused, delivered } = listening();
    const lines = linesOf(MESSAGES.map((message) => sentBy(alice, message)));
    take(lines);
    // As it was before there were seals: every message with a signature.
    take(Buffer.from(`{"type":"Processed","message_identifier":"5","signature":"${SIGNATURE}"}`));
    expect(delivered).toEqual([]);
    expect(refused).toHaveLength(2);
  });

  it.each(MESSAGES.filter((message) => sentBy(carol, message).signature !== null))(
    'has, where a contract reads it, the signature of whoever sealed it: $type',
    (message) => {
      const { take, refused, delivered } = listening();
      take(fromAlice(sentBy(carol, message)));
      expect([refused, delivered]).toEqual([['signature'], []]);
    },
  );

  it('is taken once', () => {
    const { take, refused, acknowledged } = listening();
    const payload = fromAlice({ message: { type: 'Processed', messageId: 7n }, signature: null });
    take(payload);
    take(payload);
    expect([acknowledged, refused]).toEqual([[`7 ${alice.address}`], ['a replay']]);
  });

  it('is asked for no more than ten Syncs a second for a channel, 20 at once, before any is looked at', () => {
    const { take, refused, delivered } = listening();
    const { message } = sync({ acceptedNonce: 1n });
    for (let payload = 0; payload < 2; payload++)
      take(fromAlice(...Array.from({ length: 500 }, () => ({ message, signature: null }))));
    expect(delivered).toHaveLength(20);
    expect(new Set(refused)).toEqual(new Set(['too many Syncs for one channel']));
  });

  it('is not asked at all by a Sync for a channel that is not with its sender', () => {
    const { take, refused, looks } = listening(true, false);
    take(fromAlice({ message: sync({ acceptedNonce: 1n }).message, signature: null }));
    expect([refused, looks()]).toEqual([['a Sync for a channel that is not theirs'], 0]);
  });
});
