/** The rules for gas, each held against what breaks it, and against the same without the mistake. */
import { describe, expect, it } from 'vitest';
import {
  type Address,
  type Hash,
  type Hex,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../../../src/basics/hex.ts';
import { registerSecretsCall } from '../../../src/chain/queue/calls.ts';
import { secrethashOf } from '../../../src/protocol/hash.ts';
import type { SecretRequest } from '../../../src/protocol/messages/secret-request.ts';
import type { Message } from '../../../src/protocol/messages/table.ts';
import type { Block, Log } from '../../../src/simulation/chain/blocks.ts';
import { eventTopic, words } from '../../../src/simulation/chain/contracts/abi.ts';
import type { Transaction } from '../../../src/simulation/chain/transaction.ts';
import { createServed } from '../../../src/simulation/invariants/locks/served.ts';
import { createAmplification } from '../../../src/simulation/invariants/money/amplification.ts';
import { createBurdens } from '../../../src/simulation/invariants/money/burdens.ts';
import { createEscrow } from '../../../src/simulation/invariants/money/escrow.ts';
import type { Honest } from '../../../src/simulation/invariants/oracle.ts';
import * as makers from '../../support/makers.ts';
import {
  at,
  batch,
  blockOf,
  broken,
  commit,
  honest,
  locked,
  lockTo,
  paid,
  receipt,
  transaction,
  updateOf,
  WHO,
} from '../../support/rules.ts';

const { NETWORK, OWN, PARTNER, EXPIRATION, hashOf } = makers;
const REGISTRY: Address = '0x00000000000000000000000000000000000000Aa';
const SECRET: Hex = `0x${'07'.repeat(32)}`;
const SECRETHASH = secrethashOf(SECRET);
const ELSEWHERE = `channel:${NETWORK}:2`;
const PRICE = 10n;

const CAME = locked({ side: 'partner', secrethash: SECRETHASH });
const PASSED = locked({ channel: ELSEWHERE, secrethash: SECRETHASH });

describe('gas that is promised', () => {
  /** A node with so much gas left, in units of gas at the present price, and the states of its channels. */
  function node(gas: bigint) {
    const chain = { wei: gas * PRICE, head: 1n, secretBlock: null, isOpen: false };
    const { oracle: rule } = createEscrow({
      head: () => chain.head,
      wei: () => chain.wei,
      machine: () => honest,
      machines: () => [honest],
      secretBlock: () => chain.secretBlock,
      channelOf: () => (chain.isOpen ? at('opened') : null),
      tokenNetwork: NETWORK,
      isInitiator: () => false,
      registry: REGISTRY,
      nameOf: ({ data }) => (data === '0x01' ? 'updateNonClosingBalanceProof' : 'settleChannel'),
      nonceOf: () => 0,
      usualTip: () => PRICE - 1n,
    });
    rule.block?.(blockOf(1n));
    const send = (more: Partial<Transaction> = {}) =>
      broken(() => rule.submitted?.(WHO, transaction(more)));
    return { chain, rule, send };
  }

  it('for the secret of a lock that was passed on is spent by nothing else', () => {
    const poor = node(140_000n);
    expect(commit(poor.rule, { proofs: [CAME, PASSED] })).toBeNull();
    expect(poor.send()).toBe(35);
    const rich = node(150_000n);
    commit(rich.rule, { proofs: [CAME, PASSED] });
    expect(rich.send()).toBeNull();
    // The second one finds less: the first is under way.
    expect(rich.send({ nonce: 1 })).toBe(35);
  });

  it('is there several times when a lock is passed on', () => {
    const passes = (gas: bigint) => {
      const { rule } = node(gas);
      for (let number = 2n; number < 7n; number++) rule.block?.(blockOf(number));
      return commit(rule, { proofs: [CAME, PASSED] });
    };
    expect([passes(134_000n), passes(135_000n)]).toEqual([35, null]);
  });

  it('is spent by the registration itself', () => {
    const { rule, send } = node(50_000n);
    commit(rule, { proofs: [CAME, PASSED] });
    const call = registerSecretsCall(REGISTRY, [SECRET]);
    expect(send({ to: REGISTRY, data: call.data })).toBeNull();
    const another = registerSecretsCall(REGISTRY, [`0x${'08'.repeat(32)}`]);
    expect(send({ to: REGISTRY, data: another.data, nonce: 1 })).toBe(35);
  });

  it.each([
    ['a lock that is this node’s own gain', [CAME], 0n],
    ['a lock that the payer has paid', [CAME, PASSED, paid(CAME)], 0n],
    ['a lock that has expired', [CAME, PASSED], EXPIRATION],
  ])('is not counted for %s', (_, proofs, head) => {
    const { chain, rule, send } = node(110_000n);
    commit(rule, { proofs });
    chain.head = head;
    expect(send()).toBeNull();
  });

  it('is still there for what was paid on, while the payer has not paid', () => {
    const { rule, send } = node(110_000n);
    commit(rule, { proofs: [CAME, PASSED, paid(PASSED)] });
    expect(send()).toBe(35);
  });

  it('is there for an update of the proof in an open channel that has paid the node', () => {
    const { chain, rule, send } = node(160_000n);
    commit(rule, { proofs: [CAME] });
    expect(send()).toBeNull();
    chain.isOpen = true;
    expect(send({ nonce: 1 })).toBe(35);
    expect(send({ nonce: 2, data: '0x01' })).toBeNull();
  });
});

const OPENED = eventTopic('ChannelOpened(uint256,address,address,uint256)');
const DEPOSITED = eventTopic('ChannelNewDeposit(uint256,address,uint256)');
const CHEAT = makers.STRANGER;

function log(topics: readonly Hex[], data: Hex): Log {
  const place = { blockHash: ZERO_HASH, blockNumber: '0x1', transactionHash: ZERO_HASH } as const;
  const number = { transactionIndex: '0x0', logIndex: '0x0', removed: false } as const;
  const encoded = { address: NETWORK, topics, data, ...place, ...number };
  return { address: NETWORK, blockNumber: 1, logIndex: 0, encoded };
}

describe('what a cheat makes others pay', () => {
  const opened = log([OPENED, words(1n), words(CHEAT), words(OWN)], words(20n));
  const deposit = (of: Address) => log([DEPOSITED, words(1n), words(of)], words(1n));
  const settled = { data: `0x00000000${words(1n).slice(2)}` } as const;

  const KNOWN = {
    honest: (address: Address) => (address === OWN ? honest : null),
    machine: () => honest,
    firstBlock: 1n,
    tokenNetwork: ZERO_ADDRESS,
    cheatOf: (address: Address) => (address === CHEAT ? 'junk' : null),
    claimOf: () => null,
    boundsOf: () => ({}),
    registry: REGISTRY,
    nameOf: ({ data }: Transaction) => (data === settled.data ? 'settleChannel' : 'other'),
  };

  /** The cheat opens a channel for 200,000 gas, somebody deposits for the node, and the node settles. */
  function settleFor(gas: bigint, depositor: Address) {
    const cheat = { from: CHEAT };
    const receipts = [
      receipt(200_000n, cheat, [opened, deposit(CHEAT)]),
      receipt(80_000n, { from: depositor }, [deposit(OWN)]),
      receipt(gas, settled),
    ];
    const block: Block = { ...blockOf(1n), receipts };
    const { oracle, figuresOf } = createAmplification({ ...KNOWN, block: () => block });
    oracle.block?.(block);
    return { invariant: broken(() => oracle.end?.()), figures: figuresOf('junk') };
  }

  it('is no more than what the cheat pays, beyond a base', () => {
    expect(settleFor(590_000n, CHEAT).invariant).toBeNull();
    const { invariant, figures } = settleFor(850_000n, CHEAT);
    expect(invariant).toBe(36);
    expect(figures).toEqual({ gasSpent: 280_000, gasCaused: 850_000, gasAllowed: 0 });
  });

  const LOCK = { expiration: EXPIRATION, amount: 1n, secrethash: SECRETHASH };

  /** Strangers, or partners, have the node register secrets of which it may register two for strangers. */
  function registers(secrets: readonly Hex[], depositor: Address) {
    const call = { to: REGISTRY, data: registerSecretsCall(REGISTRY, secrets).data };
    const receipts = [
      receipt(200_000n, { from: CHEAT }, [opened]),
      receipt(80_000n, { from: depositor }, [deposit(OWN)]),
    ];
    const { oracle } = createAmplification({
      ...KNOWN,
      block: () => ({ ...blockOf(1n), receipts }),
      boundsOf: () => ({ strangerRegistrations: 2 }),
      claimOf: () => ({ channel: makers.CHANNEL, lock: LOCK, isPassedOn: true }),
    });
    oracle.block?.({ ...blockOf(1n), receipts });
    return broken(() => oracle.submitted?.(WHO, transaction(call)));
  }

  it('are registrations of no more secrets than all strangers may have', () => {
    const secrets = ['07', '08', '09', '0a'].map((byte): Hex => `0x${byte.repeat(32)}`);
    expect(registers(secrets, CHEAT)).toBe(36);
    expect(registers(secrets.slice(1), CHEAT)).toBeNull();
    expect(registers(secrets, OWN)).toBeNull();
  });

  it('may be what a channel takes that the node itself put something into', () => {
    expect(settleFor(850_000n, OWN).invariant).toBeNull();
    expect(settleFor(3_000_000n, OWN).invariant).toBe(36);
  });
});

describe('what a cheat costs others besides gas', () => {
  const gave = locked({ side: 'partner', secrethash: SECRETHASH });
  const passedOn = (amount: bigint) =>
    locked({ amount, channel: ELSEWHERE, secrethash: SECRETHASH });

  function world(isPaidByOthers = false) {
    const chain = { head: 1n };
    const sides = [OWN, CHEAT] as const;
    const channel = {
      id: makers.CHANNEL,
      sides,
      wantedBy: new Set<Address>(),
      deposits: new Map(),
    };
    const burdens = createBurdens({
      head: () => chain.head,
      firstBlock: 1n,
      machine: () => honest,
      cheatOf: (address) => (address === CHEAT ? 'jammer' : null),
      isStarted: () => isPaidByOthers,
      channelAt: (id) => (id === channel.id ? channel : null),
    });
    const found = () => broken(() => burdens.oracle.end?.());
    return { chain, burdens, found };
  }

  it('is counted for what its own locks leave, and for how long they keep tokens waiting', () => {
    const { chain, burdens, found } = world();
    commit(burdens.oracle, { proofs: [gave, passedOn(5n)] });
    chain.head = 4n;
    commit(burdens.oracle, { proofs: [paid(gave)], ended: [`mediator:${SECRETHASH}`] });
    chain.head = 6n;
    expect(found()).toBeNull();
    expect(burdens.at('jammer')).toMatchObject({
      rows: { spent: 1, caused: 1 },
      waiting: { spent: 15, caused: 25 },
    });
  });

  it('is not more than twice as long, nor more rows than five', () => {
    const long = world();
    commit(long.burdens.oracle, { proofs: [gave, passedOn(11n)] });
    long.chain.head = 6n;
    expect(long.found()).toBe(36);
    const full = world();
    const ended = Array.from({ length: 6 }, (_, n) => `keeper${n}:${SECRETHASH}`);
    commit(full.burdens.oracle, { proofs: [gave], ended });
    expect(full.found()).toBe(36);
  });

  it('is as much again at each honest node, also at one that has lost its disk since', () => {
    const { burdens, found } = world();
    const ended = Array.from({ length: 5 }, (_, n) => `keeper${n}:${SECRETHASH}`);
    commit(burdens.oracle, { proofs: [gave], ended });
    burdens.oracle.commit?.('node-1', batch({ ended }));
    expect(found()).toBeNull();
    burdens.oracle.commit?.('node-1', batch({ ended: ended.slice(1) }));
    expect(found()).toBe(36);
  });

  it('is not what somebody honest pays over it', () => {
    const { chain, burdens, found } = world(true);
    commit(burdens.oracle, { proofs: [gave, passedOn(11n)], ended: [`mediator:${SECRETHASH}`] });
    chain.head = 6n;
    expect(found()).toBeNull();
    expect(burdens.names()).toEqual([]);
  });

  it('is counted in bytes and payloads, beyond what silence costs', () => {
    const { chain, burdens, found } = world();
    commit(burdens.oracle, {});
    burdens.carried(CHEAT, OWN, 70);
    chain.head = 11n;
    burdens.carried(OWN, CHEAT, 40_280);
    burdens.carried(OWN, PARTNER, 1_000_000);
    expect(found()).toBeNull();
    const { bytes, payloads } = burdens.at('jammer');
    expect([bytes, payloads]).toEqual([
      { spent: 70, caused: 40_280 },
      { spent: 1, caused: 1 },
    ]);
    burdens.carried(OWN, CHEAT, 1);
    expect(found()).toBe(36);
  });
});

describe('who is known', () => {
  const payer: Honest = { ...honest, name: 'node-1', address: PARTNER };
  const update = (n: bigint, secrethash: Hash) => updateOf([lockTo(OWN, secrethash, n)]);
  const request = (secrethash: Hash): SecretRequest => ({
    type: 'SecretRequest',
    token: makers.TOKEN,
    messageId: 1n,
    paymentId: 1n,
    secrethash,
    amount: 5n,
    expiration: EXPIRATION,
  });

  const reveal: Message = { type: 'RevealSecret', messageId: 1n, secret: SECRET };

  /** So many channels of strangers, and so much gas; whether the first payment ended well; what is said for the second. */
  type Case = { strangers: number; gas: bigint; isKnown?: boolean; says?: Message };

  function second({ strangers, gas, isKnown = true, says }: Case) {
    let head = 1n;
    const rule = createServed({
      head: () => head,
      wei: () => gas * PRICE,
      honest: (address) => (address === OWN ? honest : payer),
      machine: (name) => (name === WHO ? honest : payer),
      confirmations: 1n,
      isInitiator: () => true,
      isExcused: () => false,
      channelsOf: () => ({ honest: 1n, unwanted: strangers }),
      usualTip: () => PRICE - 1n,
    });
    rule.block?.(blockOf(1n));
    const [first, other] = [hashOf(1), SECRETHASH];
    const taken = (secrethash: Hex, nonce: bigint) =>
      locked({ side: 'partner', secrethash, nonce });
    rule.says?.(payer.name, OWN, update(1n, first));
    commit(rule, { proofs: [taken(first, 1n)] });
    if (isKnown) commit(rule, { proofs: [paid(taken(first, 1n))] });
    rule.says?.(payer.name, OWN, update(2n, other));
    rule.commit?.(WHO, batch({ proofs: [taken(other, 3n)] }));
    if (says !== undefined) rule.says?.(WHO, PARTNER, says);
    head += 8n;
    return broken(() => rule.block?.(blockOf(9n)));
  }

  it('is asked for the secret, whatever strangers hold', () => {
    expect(second({ strangers: 5, gas: 10_000_000n })).toBe(37);
    expect(second({ strangers: 5, gas: 10_000_000n, says: request(hashOf(1)) })).toBe(37);
    expect(second({ strangers: 5, gas: 10_000_000n, says: request(SECRETHASH) })).toBeNull();
  });

  it('is asked for nothing that came with the lock, however long it takes to unlock then', () => {
    expect(second({ strangers: 5, gas: 10_000_000n, says: reveal })).toBeNull();
    const another: Message = { ...reveal, secret: `0x${'08'.repeat(32)}` };
    expect(second({ strangers: 5, gas: 10_000_000n, says: another })).toBe(37);
  });

  it('may be refused when nobody else is the reason, or when the node has no money for anybody', () => {
    expect(second({ strangers: 0, gas: 10_000_000n })).toBeNull();
    expect(second({ strangers: 5, gas: 1_000_000n })).toBeNull();
    expect(second({ strangers: 5, gas: 10_000_000n, isKnown: false })).toBeNull();
  });
});
