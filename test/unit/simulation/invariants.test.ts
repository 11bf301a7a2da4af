/** Rules of the simulation, each held against what breaks it, and against the same without the mistake. */
import { describe, expect, it } from 'vitest';
import type { StateValue } from 'xstate';
import type { RecordMediated } from '../../../machines/effects.ts';
import type { ChainLog } from '../../../machines/events/chain.ts';
import { type Hash, ZERO_HASH } from '../../../src/basics/hex.ts';
import type { ChannelView } from '../../../src/node/runtime/actors/channel-states.ts';
import { rowOf } from '../../../src/node/runtime/actors/kinds.ts';
import type { PendingTransfer } from '../../../src/node/runtime/actors/parties.ts';
import type { WithdrawConfirmation } from '../../../src/protocol/messages/withdraw-confirmation.ts';
import type { ChannelFacts } from '../../../src/simulation/chain/contracts/token-network.ts';
import { createBounds } from '../../../src/simulation/invariants/bounds.ts';
import { createFarewells } from '../../../src/simulation/invariants/messages/farewells.ts';
import { createFees } from '../../../src/simulation/invariants/money/fees.ts';
import { createSolvency } from '../../../src/simulation/invariants/money/solvency.ts';
import type { Oracle } from '../../../src/simulation/invariants/oracle.ts';
import { createViews } from '../../../src/simulation/invariants/records/views.ts';
import type { Batch, OutboxRow } from '../../../src/store/base/batch.ts';
import { encode } from '../../../src/store/base/codec.ts';
import { AT_REST, openChannel } from '../../support/channel-makers.ts';
import * as makers from '../../support/makers.ts';
import { at, batch, blockOf, broken, commit, honest, locked, WHO } from '../../support/rules.ts';

const { CHANNEL, NETWORK, OWN, PARTNER, hashOf } = makers;

function posted(type: string, nonce: bigint, more: object = {}): OutboxRow {
  const body = encode({ type, channelId: 1n, nonce, ...more });
  const key = `${CHANNEL}:${nonce}`;
  return { key, queue: CHANNEL, recipient: PARTNER, messageId: nonce, nonce, givers: [], body };
}

describe('the contract', () => {
  function chainOf(channel: ChannelFacts) {
    const chain: { head: bigint; channel: ChannelFacts | null; held: bigint; named: bigint[] } = {
      head: 1n,
      channel,
      held: 130n,
      named: [1n],
    };
    const rule = createSolvency({
      channel: () => chain.channel,
      channelCount: () => (chain.channel === null ? 0n : 1n),
      head: () => chain.head,
      channelLogs: () => chain.named,
      held: () => chain.held,
    });
    return { chain, rule };
  }

  it('holds what lies in its channels', () => {
    const { chain, rule } = chainOf(at('opened'));
    const first = blockOf(1n, ZERO_HASH);
    expect(broken(() => rule.block?.(first))).toBeNull();
    Object.assign(chain, { head: 2n, held: 129n });
    expect(broken(() => rule.block?.(blockOf(2n, first.hash)))).toBe(4);
  });

  it('holds what waits for an unlock after a settlement', () => {
    const { chain, rule } = chainOf(at('closed'));
    const first = blockOf(1n, ZERO_HASH);
    expect(broken(() => rule.block?.(first))).toBeNull();
    Object.assign(chain, { head: 2n, held: 14n, channel: at('settled') });
    const second = blockOf(2n, first.hash);
    expect(broken(() => rule.block?.(second))).toBeNull();
    Object.assign(chain, { head: 3n, held: 13n });
    expect(broken(() => rule.block?.(blockOf(3n, second.hash)))).toBe(4);
  });

  it('is reckoned anew when blocks are replaced', () => {
    const { chain, rule } = chainOf(at('opened'));
    expect(broken(() => rule.block?.(blockOf(1n, ZERO_HASH)))).toBeNull();
    Object.assign(chain, { head: 2n, held: 14n, channel: at('settled'), named: [] });
    expect(broken(() => rule.block?.(blockOf(2n, hashOf(2))))).toBeNull();
  });

  it('owes nothing to a channel whose opening was replaced', () => {
    const { chain, rule } = chainOf(at('opened'));
    expect(broken(() => rule.block?.(blockOf(1n, ZERO_HASH)))).toBeNull();
    Object.assign(chain, { held: 0n, channel: null, named: [] });
    expect(broken(() => rule.block?.(blockOf(1n, hashOf(2))))).toBeNull();
  });
});

describe('a fee', () => {
  const passed = [locked({ side: 'partner', amount: 12n }), locked({ amount: 10n })];
  const mediated = (fee: bigint): RecordMediated => ({
    type: 'record.mediated',
    payer: PARTNER,
    token: makers.TOKEN,
    tokenNetwork: NETWORK,
    secrethash: hashOf(1),
    fee,
  });

  it.each([
    [2n, null],
    [3n, 9],
    [0n, 9],
  ])('of %d is counted for a transfer of 12 that went on with 10: %s', (fee, expected) => {
    const rule = createFees({ totals: () => null });
    expect(commit(rule, { proofs: passed })).toBeNull();
    expect(commit(rule, { mediations: [mediated(fee)] })).toBe(expected);
  });

  it('of the attempt that was paid counts when there were several', () => {
    const rule = createFees({ totals: () => null });
    commit(rule, { proofs: [...passed, locked({ amount: 11n, nonce: 3n })] });
    expect(commit(rule, { mediations: [mediated(1n)] })).toBeNull();
  });

  it('is all that lies between what was paid and what arrived', () => {
    const ends = (spent: bigint) =>
      broken(() => createFees({ totals: () => ({ spent, received: 90n, fees: 5n }) }).end?.());
    expect([ends(95n), ends(96n), ends(94n)]).toEqual([null, 9, 9]);
  });
});

describe('a channel that its node closes', () => {
  const job = { key: `close:${CHANNEL}:1`, actor: CHANNEL, body: '' };
  const consent = (nonce: bigint): WithdrawConfirmation => ({
    type: 'WithdrawConfirmation',
    messageId: 1n,
    chainId: 1n,
    tokenNetwork: NETWORK,
    channelId: 1n,
    participant: PARTNER,
    totalWithdraw: 1n,
    expiration: 1n,
    nonce,
  });

  function closing() {
    const rule = createFarewells();
    expect(commit(rule, { proofs: [locked()], jobs: [job] })).toBeNull();
    return rule;
  }

  it('has no new transfer', () => {
    expect(commit(closing(), { proofs: [locked({ nonce: 2n })] })).toBe(18);
    expect(commit(closing(), { proofs: [locked({ nonce: 1n })] })).toBeNull();
    expect(commit(closing(), { proofs: [locked({ nonce: 2n, changes: [] })] })).toBeNull();
    expect(commit(closing(), { proofs: [locked({ nonce: 2n, side: 'partner' })] })).toBeNull();
  });

  it('has no new withdrawal', () => {
    expect(commit(closing(), { outbox: [posted('WithdrawRequest', 2n)] })).toBe(18);
    expect(commit(closing(), { outbox: [posted('Unlock', 2n)] })).toBeNull();
  });

  it('has no new consent to a withdrawal, though an old one may be repeated', () => {
    const says = (rule: Oracle, nonce: bigint) =>
      broken(() => rule.says?.(WHO, PARTNER, consent(nonce)));
    expect(says(closing(), 2n)).toBe(18);
    expect(says(closing(), 1n)).toBeNull();
  });

  it('may go on when the close has failed, and not when it was done', () => {
    const { context } = openChannel().snapshot;
    const next = (value: StateValue) => ({
      jobsDone: [job.key],
      actors: [rowOf(CHANNEL, { value, context })],
      proofs: [locked({ nonce: 2n })],
    });
    expect(commit(closing(), next(AT_REST))).toBeNull();
    expect(commit(closing(), next('closed'))).toBe(18);
  });

  it('may go on when the chain has lost the blocks that it was closed after', () => {
    const rule = closing();
    rule.replaced?.(WHO);
    expect(commit(rule, { proofs: [locked({ nonce: 2n })] })).toBeNull();
  });
});

describe('what waits in a node', () => {
  const row = (id: string) => ({ id, kind: '', version: 1, state: '' });
  const spawn = { id: CHANNEL, token: makers.TOKEN, partner: PARTNER, openBlock: 1n };
  const ruleWith = (held: readonly Hash[] = []) =>
    createBounds({
      machine: () => honest,
      isHeld: (_, secrethash) => held.includes(secrethash),
    });
  const rows = (count: number, first = 0) =>
    Array.from({ length: count }, (_, n) => posted('Unlock', BigInt(first + n)));

  it('has bounds that grow with its channels', () => {
    const rule = ruleWith();
    expect(commit(rule, { outbox: rows(64) })).toBeNull();
    expect(commit(rule, { outbox: rows(1, 64) })).toBe(32);
    expect(commit(rule, { channels: [spawn], outbox: rows(500, 65) })).toBeNull();
    expect(commit(rule, { outbox: rows(500, 565) })).toBe(32);
  });

  it('is less by what is done', () => {
    const rule = ruleWith();
    for (let n = 0; n < 100; n++) {
      const [one] = rows(1, n);
      if (one === undefined) throw new Error('no row');
      expect(commit(rule, { outbox: [one] })).toBeNull();
      expect(commit(rule, { outboxDone: [one.key] })).toBeNull();
    }
  });

  it('holds no payment in the end of which no lock is left', () => {
    const mediator = `mediator:${hashOf(1)}`;
    const keeper = `keeper:${hashOf(2)}:own:${CHANNEL}`;
    const ends = (parts: Partial<Batch>, held: readonly Hash[]) => {
      const rule = ruleWith(held);
      commit(rule, parts);
      return broken(() => rule.end?.());
    };
    const actors = [row(mediator), row(keeper), row(CHANNEL)];
    expect(ends({ actors }, [hashOf(1), hashOf(2)])).toBeNull();
    expect(ends({ actors }, [hashOf(1)])).toBe(32);
    expect(ends({ actors, retired: [keeper] }, [hashOf(1)])).toBeNull();
  });
});

describe('what a node shows', () => {
  const opened: ChainLog = {
    ...makers.onChannel(),
    type: 'chain.channelOpened',
    participant1: OWN,
    participant2: PARTNER,
    settleTimeout: 40n,
  };
  const logs = [opened, makers.deposited(OWN, 100n), makers.deposited(PARTNER, 50n)].map((log) => ({
    channel: CHANNEL,
    log,
  }));
  const view: ChannelView = {
    channelId: 1n,
    tokenNetwork: NETWORK,
    token: makers.TOKEN,
    partner: PARTNER,
    balance: 95n,
    totalDeposit: 100n,
    totalWithdraw: 0n,
    state: 'opened',
    settleTimeout: 40n,
    revealTimeout: 10n,
    networkState: 'reachable',
  };
  const pending: PendingTransfer = {
    channelId: 1n,
    token: makers.TOKEN,
    tokenNetwork: NETWORK,
    initiator: OWN,
    target: PARTNER,
    lockedAmount: 5n,
    transferredAmount: 0n,
    paymentId: 1n,
    role: 'initiator',
  };

  type Shown = { view?: ChannelView | null; pending?: PendingTransfer[]; head?: bigint };
  function shown(given: Shown, parts: Partial<Batch> = {}) {
    const rule = createViews({
      confirmations: 1n,
      tokenNetwork: NETWORK,
      machine: () => honest,
      head: () => given.head ?? makers.NOW,
      viewOf: () => (given.view === undefined ? view : given.view),
      isSettled: () => true,
      pendingOf: () => given.pending ?? [pending],
    });
    rule.commit?.(WHO, batch({ logs, proofs: [locked()] }));
    rule.commit?.(WHO, batch(parts));
    return broken(() => rule.end?.());
  }

  it('is what was deposited, less what is locked', () => {
    expect(shown({})).toBeNull();
    expect(shown({ view: { ...view, balance: 100n } })).toBe(28);
  });

  it.each([
    ['total deposit', { totalDeposit: 101n }],
    ['total withdraw', { totalWithdraw: 1n }],
    ['state', { state: 'closed' }],
    ['settle timeout', { settleTimeout: 41n }],
    ['channel', { channelId: 2n }],
  ] as const)('has the %s of the chain', (_, wrong) => {
    expect(shown({ view: { ...view, ...wrong } })).toBe(28);
  });

  it('has each open channel, and none that is settled', () => {
    expect(shown({ view: null })).toBe(28);
    const settled = [{ channel: CHANNEL, log: makers.settled() }];
    expect(shown({ view: null, pending: [] }, { logs: settled })).toBeNull();
  });

  it('has no more locks than there are, and those of the newest steps', () => {
    expect(shown({ pending: [pending, pending] })).toBe(28);
    expect(shown({ pending: [{ ...pending, lockedAmount: 6n }] })).toBe(28);
  });

  it('leaves out what may still be taken out, for as long as it may', () => {
    const request = { totalWithdraw: 20n, expiration: makers.NOW + 10n };
    const asked = { outbox: [posted('WithdrawRequest', 2n, request)] };
    const less = { ...view, balance: 75n };
    expect(shown({ view: less })).toBe(28);
    expect(shown({ view: less }, asked)).toBeNull();
    expect(shown({}, asked)).toBe(28);
    expect(shown({ head: makers.NOW + 11n }, asked)).toBeNull();
    expect(shown({ view: less, head: makers.NOW + 30n }, asked)).toBe(28);
  });
});
