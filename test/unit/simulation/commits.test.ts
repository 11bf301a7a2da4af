/** The rules that look into single commits, each held against what breaks it, and against the same without the mistake. */
import { describe, expect, it } from 'vitest';
import type { ChannelContext } from '../../../machines/channel/context.ts';
import type { MediatorContext } from '../../../machines/mediator/context.ts';
import { ZERO_HASH } from '../../../src/basics/hex.ts';
import { rowOf } from '../../../src/node/runtime/actors/kinds.ts';
import type { PendingWithdraw } from '../../../src/protocol/channel/channel-end.ts';
import { type FeeTerms, scheduleOf } from '../../../src/protocol/fees/fee-terms.ts';
import { amountWithoutFees } from '../../../src/protocol/fees/fees.ts';
import { createContexts } from '../../../src/simulation/invariants/commits/contexts.ts';
import { createAcknowledged } from '../../../src/simulation/invariants/messages/acknowledged.ts';
import { createArrivals } from '../../../src/simulation/invariants/messages/arrivals.ts';
import { createPersistence } from '../../../src/simulation/invariants/messages/persistence.ts';
import { passedOn } from '../../../src/simulation/invariants/money/fee-model.ts';
import { createForced } from '../../../src/simulation/invariants/money/forced.ts';
import type { SignedSide } from '../../../src/simulation/invariants/money/ledger.ts';
import { createMediated } from '../../../src/simulation/invariants/money/mediated.ts';
import { createWithdrawals } from '../../../src/simulation/invariants/money/withdrawals.ts';
import type { Batch, OutboxRow } from '../../../src/store/base/batch.ts';
import { encode } from '../../../src/store/base/codec.ts';
import type { JournalRow } from '../../../src/store/base/journal-block.ts';
import { AT_REST, openChannel } from '../../support/channel-makers.ts';
import { CHANNEL, EXPIRATION, hashOf, NETWORK, PARTNER, STRANGER } from '../../support/makers.ts';
import { mediator, PAYEE_CHANNEL } from '../../support/mediation-makers.ts';
import { at, batch, blockOf, broken, commit, honest, locked, WHO } from '../../support/rules.ts';
import { withdrawExpired } from '../../support/withdraw-makers.ts';

const LOCK = { amount: 5n, secrethash: hashOf(1), expiration: EXPIRATION };
const withLock = (parts: Partial<ChannelContext> = {}): ChannelContext => {
  const { context } = openChannel().snapshot;
  const ownEnd = { ...context.ownEnd, locked: 5n, locks: [LOCK], nonce: 1n };
  return { ...context, ownEnd, ...parts };
};
const channelRow = (context: ChannelContext) => rowOf(CHANNEL, { value: AT_REST, context });
const mediatorRow = (parts: Partial<MediatorContext>) => {
  const { value, context } = mediator().snapshot;
  return rowOf(context.id, { value, context: { ...context, ...parts } });
};

describe('what a channel remembers', () => {
  const signed: SignedSide = {
    nonce: 1n,
    transferred: 0n,
    locks: new Map([[LOCK.secrethash, LOCK]]),
  };

  const ruleOf = ({ isInitiator = true, isSigned = true } = {}) =>
    createContexts({
      channelOf: () => at('opened'),
      isOpen: () => false,
      secretBlock: () => 1n,
      isInitiator: () => isInitiator,
      signedSide: (_, side) => (side === 'own' && isSigned ? signed : null),
    });
  const held = (context: ChannelContext, known = {}) =>
    commit(ruleOf(known), { actors: [channelRow(context)] });

  it('is what both sides have signed', () => {
    expect(held(withLock())).toBeNull();
    expect(held(withLock(), { isSigned: false })).toBe(39);
    expect(held(openChannel().snapshot.context)).toBe(39);
  });

  it('are registered secrets of its pending locks', () => {
    expect(held(withLock({ registered: [hashOf(1)] }))).toBeNull();
    expect(held(withLock({ registered: [hashOf(2)] }))).toBe(39);
    expect(held(withLock({ registered: [hashOf(1), hashOf(1)] }))).toBe(39);
  });

  it('are the payers of all locks that it passes on, and of no others', () => {
    const forwarded = [{ secrethash: hashOf(1), payer: STRANGER }];
    expect(held(withLock({ forwarded }), { isInitiator: false })).toBeNull();
    expect(held(withLock(), { isInitiator: false })).toBe(39);
    expect(held(withLock({ forwarded: [{ secrethash: hashOf(2), payer: STRANGER }] }))).toBe(39);
  });

  it('are deposits that are under way, and withdraws that it has asked for', () => {
    const deposit = { requestId: '1', key: 'deposit:1', totalDeposit: 1n, added: 1n };
    expect(held(withLock({ deposit }))).toBe(39);
    const pending = { totalWithdraw: 1n, expiration: 9n };
    const withdraw = { ...pending, waiting: [], job: null, failure: null };
    expect(held(withLock({ withdraw }))).toBe(39);
  });

  it('is no withdraw of the partner of which it has said that it is over', () => {
    const { message: expired } = withdrawExpired();
    const acknowledgedWith = (withdraws: readonly PendingWithdraw[]) => {
      const rule = createWithdrawals({
        channel: () => null,
        confirmations: 1n,
        head: () => expired.expiration + 2n,
        machine: () => honest,
        tokenNetwork: NETWORK,
      });
      const context = withLock();
      const partnerEnd = { ...context.partnerEnd, withdraws: [...withdraws] };
      expect(commit(rule, { actors: [channelRow({ ...context, partnerEnd })] })).toBeNull();
      rule.hears?.(WHO, PARTNER, expired);
      const { messageId } = expired;
      return broken(() => rule.says?.(WHO, PARTNER, { type: 'Processed', messageId }));
    };
    expect([acknowledgedWith([expired]), acknowledgedWith([])]).toEqual([39, null]);
  });

  it('never goes back', () => {
    const rule = ruleOf();
    const write = (jobs: number) => commit(rule, { actors: [channelRow(withLock({ jobs }))] });
    expect([1, 2, 2, 1].map(write)).toEqual([null, null, null, 39]);
  });
});

describe('what a mediator remembers', () => {
  function held(parts: Partial<MediatorContext>, amount = 10n) {
    const lock = { amount, secrethash: hashOf(1), expiration: EXPIRATION };
    const rule = createContexts({
      channelOf: () => at('opened'),
      isOpen: () => true,
      secretBlock: () => null,
      isInitiator: () => false,
      signedSide: (_, side) => {
        const locks = new Map(side === 'partner' ? [[hashOf(1), lock]] : []);
        return { nonce: 1n, transferred: 0n, locks };
      },
    });
    return commit(rule, { actors: [mediatorRow(parts)] });
  }

  it('are its locks, and its own secret', () => {
    expect(held({})).toBeNull();
    expect(held({}, 11n)).toBe(39);
    expect(held({ secret: ZERO_HASH })).toBe(39);
    expect(held({ payeeBlock: 1n, wakeBlock: 2n })).toBe(39);
  });

  it('is remembered as long as its lock is pending', () => {
    const lock = { ...LOCK };
    const rule = createContexts({
      channelOf: () => at('opened'),
      isOpen: () => true,
      secretBlock: () => null,
      isInitiator: () => false,
      signedSide: (_, side) => {
        const locks = new Map(side === 'partner' ? [[hashOf(1), lock]] : []);
        return { nonce: 1n, transferred: 0n, locks };
      },
    });
    const row = mediatorRow({ amount: 5n });
    const proofs = [locked({ side: 'partner' })];
    expect(commit(rule, { actors: [row], proofs })).toBeNull();
    expect(commit(rule, { retired: [row.id] })).toBe(39);
  });
});

describe('a signed step', () => {
  const update = (parts: object = {}): OutboxRow => {
    const { transferredAmount, lockedAmount, locksroot } = locked();
    const change = { type: 'lock', lock: LOCK };
    const message = { type: 'Update', nonce: 1n, transferredAmount, lockedAmount, locksroot };
    const body = encode({ ...message, changes: [change], ...parts });
    const key = `${CHANNEL}:1`;
    return { key, queue: CHANNEL, recipient: PARTNER, messageId: 1n, nonce: 1n, givers: [], body };
  };
  const said = (parts: Partial<Batch>) =>
    commit(
      createContexts({
        channelOf: () => at('opened'),
        isOpen: (channel) => channel === CHANNEL,
        secretBlock: () => null,
        isInitiator: () => true,
        signedSide: () => null,
      }),
      parts,
    );

  it('is said in the commit that signs it, as it was signed', () => {
    expect(said({ proofs: [locked()], outbox: [update()] })).toBeNull();
    expect(said({ proofs: [locked()] })).toBe(39);
    expect(said({ outbox: [update()] })).toBe(39);
    expect(said({ proofs: [locked()], outbox: [update({ lockedAmount: 6n })] })).toBe(39);
    expect(said({ proofs: [locked()], outbox: [update({ changes: [] })] })).toBe(39);
  });
});

describe('what a mediator passes on', () => {
  const side = (balance: bigint, receivable: bigint) => ({ balance, receivable });
  const free: FeeTerms = { flat: 0n, proportional: 0n, imbalance: 0n, capFees: true };

  it.each([
    ['flat', { ...free, flat: 100n }, 1_000n, 900n],
    ['10 % for each hop', { ...free, proportional: 100_000n }, 1_100n, 1_000n],
    ['flat and 50 %', { ...free, flat: 20n, proportional: 500_000n }, 1_520n, 997n],
  ])('is what the examples of the protocol say: %s', (_, terms, amount, expected) => {
    const sides = { came: side(10_000n, 10_000n), went: side(10_000n, 10_000n) };
    expect(passedOn({ terms, ...sides, amount })).toBe(expected);
  });

  it.each([
    [10_000n, 52_000n],
    [20_000n, 53_995n],
    [50_000n, 59_091n],
  ])('is more where that evens out its channels, by %d ppm', (imbalance, expected) => {
    const sides = { came: side(0n, 100_000n), went: side(100_000n, 0n), amount: 50_000n };
    expect(passedOn({ terms: { ...free, imbalance, capFees: false }, ...sides })).toBe(expected);
    expect(passedOn({ terms: { ...free, imbalance }, ...sides })).toBe(50_000n);
  });

  it('is what the node reckons, at any balance', () => {
    for (let n = 1n; n < 400n; n++) {
      const imbalance = [0n, 1_000n, 3_000n, 50_000n][Number(n % 4n)] ?? 0n;
      const terms = { flat: n % 3n, proportional: 4_000n, imbalance, capFees: n % 2n === 0n };
      const capacity = 10n ** 6n + n;
      const came = side((capacity * n) / 400n, capacity - (capacity * n) / 400n);
      const amount = (n * 7_919n) % 60_000n;
      const schedule = scheduleOf(terms, capacity);
      const mediation = {
        scheduleIn: schedule,
        scheduleOut: schedule,
        balanceIn: came.balance,
        receivable: came.receivable,
        balanceOut: came.receivable,
      };
      const went = side(came.receivable, came.balance);
      expect(passedOn({ terms, came, went, amount })).toBe(amountWithoutFees(mediation, amount));
    }
  });

  const event = (actor: string, told: object): JournalRow => ({
    ...{ kind: 'event', actor, cause: 'outside', causedBy: null, event: encode(told) },
    ...{ state: '', version: 1, block: 1n, time: 1 },
  });
  const update = (nonce: bigint) =>
    event(CHANNEL, { type: 'msg.update', message: { nonce, changes: [{ type: 'lock' }] } });
  const forwarded = event(PAYEE_CHANNEL, {
    type: 'actor.forwardLock',
    secrethash: hashOf(1),
    payer: { channel: CHANNEL },
  });
  const open = (id: string) =>
    rowOf(id, { value: AT_REST, context: openChannel().snapshot.context });

  it('is judged by both sides as they are before the changes that come later in the commit', () => {
    const terms = { ...free, flat: 2n };
    const journal = [update(1n), forwarded];
    const pass = (went: bigint) => {
      const rule = createMediated({ termsOf: () => terms });
      commit(rule, { actors: [open(CHANNEL), open(PAYEE_CHANNEL)] });
      const came = locked({ side: 'partner', amount: 12n });
      return commit(rule, {
        proofs: [came, locked({ channel: PAYEE_CHANNEL, amount: went })],
        journal,
      });
    };
    expect([9n, 10n, 11n].map(pass)).toEqual([9, null, 9]);
  });

  it('is judged before a message that came too early, and is taken when it comes again', () => {
    const terms = { ...free, imbalance: 20_000n, capFees: false };
    const sides = { came: side(100n, 100n), went: side(100n, 100n) };
    const expected = passedOn({ terms, ...sides, amount: 40n }) ?? 0n;
    const pass = (went: bigint) => {
      const rule = createMediated({ termsOf: () => terms });
      commit(rule, { actors: [open(CHANNEL), open(PAYEE_CHANNEL)] });
      const came = locked({ side: 'partner', amount: 40n });
      const next = { nonce: 2n, amount: 50n, secrethash: hashOf(2) };
      return commit(rule, {
        proofs: [
          came,
          locked({ side: 'partner', ...next }),
          locked({ channel: PAYEE_CHANNEL, amount: went }),
        ],
        journal: [update(2n), update(1n), forwarded, update(2n)],
      });
    };
    expect([expected - 2n, expected, expected + 1n].map(pass)).toEqual([9, null, 9]);
  });
});

describe('a registration that is forced on a mediator', () => {
  const row = (fullBlock: bigint) => ({ account: PARTNER, fullBlock });
  const registers = (forced: Batch['forced']) =>
    commit(createForced(), { actors: [mediatorRow({ jobs: 1 })], forced, block: 10n });

  it('is charged to the payer in the same commit', () => {
    expect(registers([row(310n)])).toBeNull();
    expect(registers([])).toBe(36);
    expect(registers([row(200n)])).toBe(36);
  });

  it('is charged once', () => {
    const rule = createForced();
    commit(rule, { actors: [mediatorRow({ jobs: 1 })], forced: [row(310n)] });
    expect(commit(rule, { actors: [mediatorRow({ jobs: 2 })] })).toBeNull();
  });
});

describe('a message that waits', () => {
  const row: OutboxRow = {
    ...{ key: 'a', queue: CHANNEL, recipient: PARTNER, messageId: 1n, nonce: 1n, givers: [] },
    body: '',
  };

  function waited(seconds: number, parts: Partial<OutboxRow> = {}, isSaid = false) {
    let head = 1n;
    const rule = createPersistence({
      head: () => head,
      machine: () => honest,
      undisturbedSince: () => 0n,
      seconds: () => Number(head),
    });
    rule.block?.(blockOf(head));
    commit(rule, { outbox: [{ ...row, ...parts }] });
    for (const end = head + BigInt(seconds); head < end; head++) {
      if (isSaid && head % 30n === 0n)
        rule.says?.(WHO, PARTNER, { type: 'Processed', messageId: 1n });
      const found = broken(() => rule.block?.(blockOf(head)));
      if (found !== null) return found;
    }
    return null;
  }

  it('is said again in time', () => {
    expect([waited(60), waited(70), waited(300, {}, true)]).toEqual([null, 21, null]);
  });

  it('is said ever more seldom outside of channels', () => {
    expect(waited(200, { queue: null })).toBe(21);
    expect(waited(60, { queue: null })).toBeNull();
  });
});

describe('an outbox', () => {
  const message = { key: 'a', queue: CHANNEL, recipient: PARTNER, messageId: 7n, nonce: 1n };
  const row: OutboxRow = { ...message, givers: [], body: '{"locksroot":1}' };

  function begun(undisturbedBlock = 0n) {
    let head = 1n;
    const rule = createAcknowledged({
      head: () => head,
      isOpen: () => true,
      machine: () => honest,
      undisturbedSince: () => undisturbedBlock,
    });
    commit(rule, { outbox: [row] });
    const blocks = (count: bigint) => {
      head += count;
      return broken(() => rule.block?.(blockOf(head)));
    };
    return { rule, blocks };
  }

  it('has a balance proof until the partner says that it has it', () => {
    const early = begun();
    expect(commit(early.rule, { outboxDone: ['a'] })).toBe(21);
    const late = begun();
    late.rule.hears?.(WHO, STRANGER, { type: 'Processed', messageId: 7n });
    late.rule.hears?.(WHO, PARTNER, { type: 'Processed', messageId: 8n });
    expect(late.blocks(9n)).toBeNull();
    late.rule.hears?.(WHO, PARTNER, { type: 'Processed', messageId: 7n });
    expect(commit(late.rule, { outboxDone: ['a'] })).toBeNull();
  });

  const said = { type: 'Processed', messageId: 7n } as const;

  it('has it no longer than that', () => {
    const { rule, blocks } = begun();
    rule.hears?.(WHO, PARTNER, said);
    expect(blocks(9n)).toBeNull();
    rule.arrives?.(WHO, PARTNER, said);
    expect([blocks(3n), blocks(1n)]).toEqual([null, 21]);
  });

  it('has it still when something was in the way as the partner’s word arrived, until it arrives again', () => {
    const { rule, blocks } = begun(1n);
    rule.hears?.(WHO, PARTNER, said);
    rule.arrives?.(WHO, PARTNER, said);
    expect([blocks(1n), blocks(9n)]).toEqual([null, null]);
    rule.arrives?.(WHO, PARTNER, said);
    expect([blocks(3n), blocks(1n)]).toEqual([null, 21]);
  });
});

describe('what is signed for a partner', () => {
  it('is taken once nothing is in the way', () => {
    const partner = { ...honest, name: 'node-1', address: PARTNER };
    let head = 1n;
    const rule = createArrivals({
      head: () => head,
      channelOf: () => at('opened'),
      machine: () => honest,
      honest: () => partner,
      quietSince: () => 0n,
      healing: 8n,
    });
    const later = () => {
      head += 9n;
      return broken(() => rule.block?.(blockOf(head)));
    };
    commit(rule, { proofs: [locked()] });
    expect(later()).toBe(21);
    rule.commit?.(partner.name, batch({ proofs: [locked({ side: 'partner' })] }));
    expect(later()).toBeNull();
  });
});
