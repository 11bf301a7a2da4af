/** Rules about what must come of what nodes say and answer, each held against what breaks it and against what does not. */
import { describe, expect, it } from 'vitest';
import type { RecordPayment, RecordProof } from '../../../machines/effects.ts';
import type { Address } from '../../../src/basics/hex.ts';
import { ZERO_HASH } from '../../../src/basics/hex.ts';
import { EMPTY_SIGNATURE } from '../../../src/protocol/channel/balance-proof.ts';
import type { Message } from '../../../src/protocol/messages/table.ts';
import type { ChannelFacts } from '../../../src/simulation/chain/contracts/token-network.ts';
import type { ChannelOnDisk } from '../../../src/simulation/disk/disk.ts';
import { createAnswers } from '../../../src/simulation/invariants/messages/answers.ts';
import { createArrivals } from '../../../src/simulation/invariants/messages/arrivals.ts';
import { createReunions } from '../../../src/simulation/invariants/messages/reunions.ts';
import { createSequences } from '../../../src/simulation/invariants/messages/sequences.ts';
import { createEarnings } from '../../../src/simulation/invariants/money/earnings.ts';
import { createKeeping } from '../../../src/simulation/invariants/records/keeping.ts';
import {
  type ChannelWish,
  checkPromise,
  type Done,
  type UserDepositWish,
} from '../../../src/simulation/invariants/records/promises.ts';
import { createReceipts } from '../../../src/simulation/invariants/records/receipts.ts';
import { encode } from '../../../src/store/base/codec.ts';
import {
  CHANNEL,
  EXPIRATION,
  hashOf,
  NETWORK,
  OWN,
  PARTNER,
  STRANGER,
  TOKEN,
} from '../../support/makers.ts';
import { at, batch, blockOf, broken, commit, honest, locked, WHO } from '../../support/rules.ts';

const OTHER = { ...honest, name: 'node-1', address: PARTNER };
const both = (address: Address) => (address === OWN ? honest : address === PARTNER ? OTHER : null);
const named = (name: string) => [honest, OTHER].find((one) => one.name === name) ?? null;

describe('what a node signs', () => {
  function world(quietBlock: bigint | null = 0n) {
    const state = { head: 10n, channel: at('opened') };
    const rule = createArrivals({
      channelOf: () => state.channel,
      head: () => state.head,
      honest: both,
      machine: named,
      quietSince: () => quietBlock,
      healing: 8n,
    });
    rule.commit?.(WHO, batch({ proofs: [locked()] }));
    const looked = (head: bigint) => {
      state.head = head;
      return broken(() => rule.block?.(blockOf(head)));
    };
    const taken = (nonce: bigint) =>
      rule.commit?.(OTHER.name, batch({ proofs: [locked({ side: 'partner', nonce })] }));
    return { rule, state, looked, taken };
  }

  it('is taken by its honest partner when nothing is in the way', () => {
    const { looked } = world();
    expect([looked(18n), looked(19n)]).toEqual([null, 21]);
  });

  it('has time to arrive after a fault, and as long as one lasts', () => {
    expect(world(15n).looked(23n)).toBeNull();
    expect(world(15n).looked(24n)).toBe(21);
    expect(world(null).looked(100n)).toBeNull();
  });

  it('has arrived when it, or a later step, was taken', () => {
    const { looked, taken } = world();
    taken(1n);
    expect(looked(100n)).toBeNull();
  });

  it('waits anew when an earlier step was taken', () => {
    const { rule, looked, taken, state } = world();
    rule.commit?.(WHO, batch({ proofs: [locked({ nonce: 2n })] }));
    state.head = 15n;
    taken(1n);
    expect([looked(23n), looked(24n)]).toEqual([null, 21]);
  });

  it('need not be taken in a channel that somebody closes', () => {
    const { rule, looked } = world();
    rule.commit?.(OTHER.name, batch({ jobs: [{ key: 'close:1', actor: CHANNEL, body: '' }] }));
    expect(looked(100n)).toBeNull();
    const closed = world();
    closed.state.channel = at('closed');
    expect(closed.looked(100n)).toBeNull();
  });
});

describe('a node that has started again', () => {
  const sync = {
    type: 'Sync',
    chainId: 1n,
    tokenNetwork: NETWORK,
    channelId: 1n,
    messageId: 1n,
    signedNonce: 0n,
    acceptedNonce: 0n,
    balanceHash: ZERO_HASH,
    additionalHash: ZERO_HASH,
    proofSignature: EMPTY_SIGNATURE,
    answer: true,
  } as const;

  /** The node is down in block 1, and up from block 2 on. */
  function world(channels = [CHANNEL]) {
    const state = { head: 0n, isUp: false };
    const rule = createReunions({
      head: () => state.head,
      machines: () => [honest],
      quietSince: () => 2n,
      isUp: () => state.isUp,
      channelsOf: () => channels,
      healing: 8n,
    });
    const looked = (head: bigint) => {
      state.head = head;
      return broken(() => rule.block?.(blockOf(head)));
    };
    const says = () => rule.says?.(WHO, PARTNER, sync);
    looked(1n);
    state.isUp = true;
    return { looked, says };
  }

  it('says a Sync in each open channel', () => {
    const { looked } = world();
    expect([looked(2n), looked(10n), looked(11n)]).toEqual([null, null, 21]);
    expect([2n, 11n].map(world([]).looked)).toEqual([null, null]);
  });

  it('may have said it before the next block', () => {
    const early = world();
    early.says();
    expect([2n, 11n].map(early.looked)).toEqual([null, null]);
    const later = world();
    later.looked(2n);
    later.says();
    expect(later.looked(11n)).toBeNull();
  });
});

describe('a payment', () => {
  const facts = { token: TOKEN, tokenNetwork: NETWORK, paymentId: 1n, secrethash: hashOf(1) };
  const sent: RecordPayment = {
    ...facts,
    type: 'record.paymentSent',
    channel: CHANNEL,
    amount: 5n,
    target: PARTNER,
    attempts: 1,
  };
  const failed: RecordPayment = {
    ...sent,
    type: 'record.paymentFailed',
    code: 'no_route',
    reason: '',
  };
  const got = (amount = 5n): RecordPayment => ({
    ...facts,
    type: 'record.paymentReceived',
    channel: CHANNEL,
    amount,
    initiator: OWN,
  });
  const known = {
    channelOf: () => at('opened'),
    head: () => 10n,
    honest: both,
    machine: named,
    secretBlock: (): bigint | null => null,
  };
  const rule = (isExcused = false) => createReceipts({ ...known, isExcused: () => isExcused });
  const histories = (records: [string, RecordPayment][], isExcused = false) => {
    const receipts = rule(isExcused);
    return broken(() => {
      for (const [who, payment] of records) receipts.commit?.(who, batch({ payments: [payment] }));
      receipts.end?.();
    });
  };

  it.each<[string, [string, RecordPayment][], number | null]>([
    [
      'in both histories',
      [
        [WHO, sent],
        [OTHER.name, got()],
      ],
      null,
    ],
    [
      'that the payee noted first',
      [
        [OTHER.name, got()],
        [WHO, sent],
      ],
      null,
    ],
    [
      'of which more arrived',
      [
        [WHO, sent],
        [OTHER.name, got(6n)],
      ],
      null,
    ],
    [
      'of which less arrived',
      [
        [WHO, sent],
        [OTHER.name, got(4n)],
      ],
      8,
    ],
    ['that never arrived', [[WHO, sent]], 8],
    [
      'that the payer calls failed',
      [
        [WHO, failed],
        [OTHER.name, got()],
      ],
      8,
    ],
    ['that the payer knows nothing of', [[OTHER.name, got()]], 8],
    ['that failed', [[WHO, failed]], null],
    [
      'that arrived twice',
      [
        [WHO, sent],
        [OTHER.name, got()],
        [OTHER.name, got()],
      ],
      29,
    ],
  ])('%s', (_, records, expected) => {
    expect(histories(records)).toBe(expected);
  });

  it('need not arrive at a payee that was kept from its claim', () => {
    expect(histories([[WHO, sent]], true)).toBeNull();
  });

  describe('that arrived over others, and that the payer calls failed', () => {
    const THIRD = STRANGER;
    const last = 'channel:last';
    const changes = locked().changes.map((one) => ({ ...one, kind: 'pay' as const }));
    const removed = locked({ nonce: 2n, transferredAmount: 5n, changes });
    const given = (channel: string) => locked({ side: 'partner', channel });
    const between = { ...honest, name: 'node-2', address: THIRD };

    /** The channel to the payee is with a third node. */
    function ended(isHonest: boolean, secretBlock: bigint | null, proofs: [string, RecordProof][]) {
      const [own, partner] = at('opened').sides;
      const receipts = createReceipts({
        ...known,
        honest: (one) => (one === THIRD ? (isHonest ? between : null) : both(one)),
        channelOf: (channel) =>
          channel === last
            ? { ...at('opened'), sides: [{ ...own, address: THIRD }, partner] }
            : { ...at('opened'), sides: [own, { ...partner, address: THIRD }] },
        secretBlock: () => secretBlock,
        isExcused: () => false,
      });
      return broken(() => {
        for (const [who, proof] of proofs) receipts.commit?.(who, batch({ proofs: [proof] }));
        receipts.commit?.(WHO, batch({ payments: [failed] }));
        receipts.commit?.(OTHER.name, batch({ payments: [got()] }));
        receipts.end?.();
      });
    }
    const locks: [string, RecordProof][] = [
      [WHO, locked()],
      [OTHER.name, given(last)],
    ];

    it('is a matter of the node that paid it, when that is not honest', () => {
      expect(ended(false, null, locks)).toBeNull();
      expect(ended(false, EXPIRATION, locks)).toBeNull();
    });

    it('is wrong when the payer has paid, too, or its lock can be claimed on chain', () => {
      expect(ended(false, null, [...locks, [WHO, removed]])).toBe(8);
      expect(ended(false, EXPIRATION - 1n, locks)).toBe(8);
    });

    it('is wrong when honest nodes alone have passed it on', () => {
      expect(ended(true, null, [...locks, [between.name, given(CHANNEL)]])).toBe(8);
    });

    it('is wrong when it is not known who gave the lock', () => {
      expect(ended(false, null, [[WHO, locked()]])).toBe(8);
    });
  });
});

describe('what a node answers', () => {
  const EMPTY = { total: 0n, planned: 0n };
  const answered = (known: Parameters<typeof checkPromise>[0], done: Done) =>
    broken(() => checkPromise(known, { who: WHO, own: OWN, done }));
  const on = (facts: ChannelFacts | null) => (wish: ChannelWish) =>
    answered(
      { channelOf: () => facts, userDepositOf: () => EMPTY },
      { ...wish, channel: { channelId: 1n, tokenNetwork: NETWORK } },
    );

  it('of a deposit, a withdrawal or a channel stands on chain', () => {
    const opened = on(at('opened'));
    expect(opened({ do: 'deposit', totalDeposit: 100n })).toBeNull();
    expect(opened({ do: 'deposit', totalDeposit: 101n })).toBe(27);
    expect(opened({ do: 'withdraw', totalWithdraw: 10n })).toBeNull();
    expect(opened({ do: 'withdraw', totalWithdraw: 11n })).toBe(27);
    expect(on(null)({ do: 'open_channel', totalDeposit: 0n })).toBe(27);
    expect(opened({ do: 'open_channel', totalDeposit: 100n })).toBeNull();
  });

  it('of a close is that the channel is closed', () => {
    const states = (wish: ChannelWish) =>
      (['opened', 'closed', 'settled', 'removed'] as const).map((state) => on(at(state))(wish));
    expect(states({ do: 'close' })).toEqual([27, null, null, null]);
  });

  it('of leaving is that each channel that was open is settled, and named once', () => {
    const one = { channelId: 1n, tokenNetwork: NETWORK };
    const other = { ...one, channelId: 2n };
    const left = (state: ChannelFacts['state'], ...named: (typeof one)[]) =>
      answered(
        { channelOf: () => at(state), userDepositOf: () => EMPTY },
        { do: 'leave', open: [one], left: named },
      );
    const states = (['opened', 'closed', 'settled', 'removed'] as const).map((state) =>
      left(state, one),
    );
    expect(states).toEqual([27, 27, null, null]);
    // One that was closed already is settled, too.
    expect(left('settled', one, other)).toBeNull();
    expect([left('settled'), left('settled', other), left('settled', one, one)]).toEqual([
      27, 27, 27,
    ]);
  });

  it('of the user deposit is what the contract has', () => {
    const kept = (account: Partial<typeof EMPTY>, done: UserDepositWish) =>
      answered({ channelOf: () => null, userDepositOf: () => ({ ...EMPTY, ...account }) }, done);
    expect(kept({ total: 5n }, { do: 'fill_user_deposit', total: 5n })).toBeNull();
    expect(kept({ total: 4n }, { do: 'fill_user_deposit', total: 5n })).toBe(27);
    expect(kept({ planned: 2n }, { do: 'plan_user_withdrawal', amount: 2n })).toBeNull();
    expect(kept({ planned: 3n }, { do: 'plan_user_withdrawal', amount: 2n })).toBe(27);
    expect(kept({}, { do: 'withdraw_user_deposit' })).toBeNull();
    expect(kept({ planned: 2n }, { do: 'withdraw_user_deposit' })).toBe(27);
  });
});

describe('a disk', () => {
  const row = (own: bigint, partner: bigint) =>
    encode({ context: { ownEnd: { nonce: own }, partnerProof: { nonce: partner } } });
  const whole: ChannelOnDisk = {
    row: row(1n, 1n),
    steps: { own: 1n, partner: 1n },
    waiting: [1n],
  };
  const ended = (kept: Partial<ChannelOnDisk> | null, untaken: bigint | null = 1n) => {
    const rule = createKeeping({
      channelOf: () => at('opened'),
      machine: named,
      onDisk: () => (kept === null ? null : { ...whole, ...kept }),
      untaken: () => untaken,
    });
    rule.commit?.(WHO, batch({ proofs: [locked(), locked({ side: 'partner' })] }));
    return broken(() => rule.end?.());
  };

  it('has the newest step of either side of a channel', () => {
    expect(ended({})).toBeNull();
    expect(ended(null)).toBeNull();
    expect(ended({ steps: { own: 0n, partner: 1n } })).toBe(19);
    expect(ended({ steps: { own: 1n, partner: 0n } })).toBe(19);
    expect(ended({ row: row(0n, 1n) })).toBe(19);
    expect(ended({ row: row(1n, 0n) })).toBe(19);
    expect(ended({ row: null })).toBe(19);
  });

  it('has what was signed until the partner has taken it', () => {
    expect(ended({ waiting: [] })).toBe(19);
    expect(ended({ waiting: [] }, null)).toBeNull();
  });
});

describe('an acknowledgement', () => {
  const unlock = {
    type: 'Update',
    messageId: 7n,
    nonce: 2n,
    chainId: 1n,
    tokenNetwork: NETWORK,
    channelId: 1n,
    transferredAmount: 0n,
    lockedAmount: 0n,
    locksroot: ZERO_HASH,
    changes: [{ type: 'unlock', paymentId: 1n, secret: ZERO_HASH }],
  } satisfies Message;
  const acknowledged = (nonce: bigint, said: readonly Message[] = [unlock]) => {
    const rule = createAnswers({ machine: named });
    for (const one of said) rule.hears?.(WHO, PARTNER, one);
    rule.commit?.(WHO, batch({ proofs: [locked({ side: 'partner', nonce })] }));
    return broken(() => rule.says?.(WHO, PARTNER, { type: 'Processed', messageId: 7n }));
  };

  it('is given for what was taken, and for nothing else', () => {
    expect([1n, 2n, 3n].map((nonce) => acknowledged(nonce))).toEqual([19, null, null]);
  });

  it('is given for one of several things that a partner said under one identifier', () => {
    const elsewhere = { ...unlock, channelId: 2n };
    expect(acknowledged(2n, [elsewhere, unlock])).toBeNull();
    expect(acknowledged(1n, [elsewhere, unlock])).toBe(19);
  });
});

describe('a step', () => {
  it.each(['own', 'partner'] as const)('of the %s side is done once, and in order', (side) => {
    const rule = createSequences();
    const step = (nonce: bigint) => commit(rule, { proofs: [locked({ side, nonce })] });
    expect([1n, 3n, 3n, 2n, 4n].map(step)).toEqual([null, null, 34, 34, null]);
  });
});

describe('a mediator', () => {
  const locks = (went: bigint) => [
    locked({ side: 'partner', amount: 1_012n, lockedAmount: 1_012n }),
    locked({ amount: went, lockedAmount: went }),
  ];
  const paid = (side: 'own' | 'partner') =>
    locked({
      side,
      nonce: 2n,
      transferredAmount: 1_000n,
      changes: locked().changes.map((one) => ({ ...one, kind: 'pay' })),
    });
  const rule = (secretBlock: bigint | null = null, state: ChannelFacts['state'] = 'opened') =>
    createEarnings({
      channelOf: () => at(state),
      machine: named,
      secretBlock: () => secretBlock,
      isInitiator: () => false,
    });

  it('counts what both of its sides have paid', () => {
    const earned = rule();
    commit(earned, { proofs: [...locks(1_000n), paid('own')] });
    expect(broken(() => earned.end?.())).toBeNull();
    commit(earned, { proofs: [paid('partner')] });
    expect(broken(() => earned.end?.())).toBe(9);
    const facts = { token: TOKEN, tokenNetwork: NETWORK, secrethash: hashOf(1), fee: 12n };
    commit(earned, { mediations: [{ type: 'record.mediated', payer: PARTNER, ...facts }] });
    expect(broken(() => earned.end?.())).toBeNull();
  });

  it.each([
    [EXPIRATION - 1n, 'removed', 9],
    [EXPIRATION, 'removed', null],
    [EXPIRATION - 1n, 'closed', null],
  ] as const)(
    'counts what the chain has paid: secret in %d, channel %s',
    (block, state, expected) => {
      const earned = rule(block, state);
      commit(earned, { proofs: [...locks(1_000n), paid('own')] });
      expect(broken(() => earned.end?.())).toBe(expected);
    },
  );
});
