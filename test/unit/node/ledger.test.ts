import { describe, expect, it } from 'vitest';
import { tokenActorId } from '../../../machines/base/actor-ids.ts';
import type { Tx } from '../../../machines/effects.ts';
import { newNetwork } from '../../../machines/token-network/context.ts';
import type { Address } from '../../../src/basics/hex.ts';
import { createGasBudgets, gasBudgetsOf } from '../../../src/node/chain/gas/gas-budgets.ts';
import { createLedger } from '../../../src/node/chain/gas/ledger.ts';
import { createPendingLocks } from '../../../src/node/chain/pending-locks.ts';
import { USUAL_BOUNDS } from '../../../src/node/runtime/knowledge/bounds.ts';
import { openChannel, withEnds, withPartnersLock } from '../../support/channel-makers.ts';
import {
  blockReached,
  CHANNEL,
  closed,
  EXPIRATION,
  hashOf,
  NETWORK,
  OWN,
  PARTNER,
  REVEAL_TIMEOUT,
  SIGNATURE,
  STRANGER,
  secretOf,
  secretRevealed,
  TOKEN,
} from '../../support/makers.ts';
import { forMediator, mediator } from '../../support/mediation-makers.ts';
import { revealSecret, target } from '../../support/payment-makers.ts';
import { type Living, note } from '../../support/risk-makers.ts';

const { ofPartner: OF_PARTNER, ofToken: OF_TOKEN } = gasBudgetsOf(USUAL_BOUNDS);

const PRICE = 10n ** 9n;
/** Gas of a settlement, an update, a registration and a close, as they are estimated. */
const [SETTLE, UPDATE, REGISTRATION, CLOSE] = [180_000n, 110_000n, 60_000n, 130_000n];
/** Wei that are set aside for so much gas. */
const aside = (gas: bigint) => 3n * gas * PRICE;
const MEDIATOR = `mediator:${hashOf(1)}`;
const TARGET = `target:${hashOf(1)}`;
const OTHER = 'channel:other:1';

const settings = { confirmations: 1n, defaultRevealTimeout: REVEAL_TIMEOUT, minRevealTimeout: 1n };
const facts = { token: TOKEN, tokenNetwork: NETWORK, requestId: null, chainId: 1n, own: OWN };
/** The operator has used the token. */
const CHOSEN: Living = {
  snapshot: {
    value: { registered: 'idle' },
    context: { ...newNetwork({ id: tokenActorId(TOKEN), ...settings, ...facts }), isChosen: true },
  },
};

type World = {
  actors?: readonly [string, Living][];
  /** What an account holds, in wei; null: not known. */
  spare?: bigint | null;
  values?: ReadonlyMap<Address, bigint>;
  chosen?: boolean;
};

function ledgerOf({ actors = [], spare = 10n ** 18n, values = new Map(), chosen }: World) {
  const money = () => (spare === null ? null : { spare, price: PRICE });
  const pending = createPendingLocks({ values, money });
  if (chosen === true) note(pending, tokenActorId(TOKEN), CHOSEN);
  for (const [id, actor] of actors) note(pending, id, actor);
  const budgets = createGasBudgets({ rows: [], nowBlock: () => 1_000n });
  const ledger = createLedger({ pending, budgets, watch: { money, hasBegun: () => true } });
  /** Wei that it leaves to others. */
  const leaves = (tx: Tx) => ledger.aside() - ledger.asideOf(tx);
  return { ...ledger, leaves, pending, budgets };
}

const on = (from: string) => ({ from, key: 'k', deadlineBlock: null });
const inChannel = (from = CHANNEL) => ({
  ...on(from),
  tokenNetwork: NETWORK,
  channelId: 1n,
  partner: PARTNER,
});
const settle = (from = CHANNEL): Tx => ({
  ...inChannel(from),
  type: 'tx.settle',
  channel: from,
  ownHash: null,
  partnerHash: null,
});
const register = (from: string): Tx => ({
  ...on(from),
  type: 'tx.registerSecret',
  secret: secretOf(1),
});
const proof = {
  nonce: 1n,
  balanceHash: hashOf(3),
  additionalHash: hashOf(4),
  signature: SIGNATURE,
};
const update = (): Tx => ({ ...inChannel(), type: 'tx.updateProof', proof });
const close: Tx = { ...inChannel(), type: 'tx.close', proof };
const deposit: Tx = {
  ...inChannel(),
  type: 'tx.deposit',
  token: TOKEN,
  totalDeposit: 5n,
  added: 5n,
};

/** A channel that its partner has closed, with so much of this node in it, and so much that it has put in itself. */
const shut = (deposit: bigint, funded = deposit) =>
  openChannel({ deposit, funded }).tell(closed(PARTNER));
/** A transfer that was passed on: a registration is promised. */
const promised: [string, Living] = [
  MEDIATOR,
  mediator({ amount: 50n }).tell(forMediator.forwarded(), revealSecret()),
];

describe('what was promised', () => {
  const actors: [string, Living][] = [[CHANNEL, openChannel()], promised];

  it('is sent whatever else there is to pay, and may take all that the account has', () => {
    const { weigh, leaves } = ledgerOf({ actors, spare: 0n });
    expect(weigh(register(MEDIATOR))).toBe('send');
    expect(leaves(register(MEDIATOR))).toBe(0n);
  });

  it('is left in the account by everything else, at three times the highest price', () => {
    const { leaves, pending } = ledgerOf({ actors });
    expect(pending.promised()).toBe(aside(REGISTRATION));
    expect(leaves(deposit)).toBe(aside(REGISTRATION));
  });

  it('is an update of what a partner has paid, as soon as an older state could be closed with', () => {
    const paid = withEnds(withPartnersLock().ours, { partner: { transferred: 50n } });
    const { weigh, leaves, pending } = ledgerOf({ actors: [[CHANNEL, paid]] });
    expect(pending.promised()).toBe(aside(UPDATE));
    expect([weigh(update()), leaves(update())]).toEqual(['send', 0n]);
  });

  it('is no update for which there was no money when it was paid, so that nobody pays it away', () => {
    const paid = withEnds(withPartnersLock().ours, { partner: { transferred: 50n } });
    const needed = 3n * UPDATE * PRICE;
    const judged = (spare: bigint) => {
      const { pending, weigh } = ledgerOf({ actors: [[CHANNEL, paid]], spare });
      return [pending.promised(), weigh(update())];
    };
    expect(judged(needed)).toEqual([aside(UPDATE), 'send']);
    expect(judged(needed - 1n)).toEqual([0n, 'send']);
    expect(judged(0n)).toEqual([0n, { wait: 'no free gas money' }]);
  });

  it('is an update for a lock that was passed on until it is paid, also when its secret is on chain', () => {
    const registered = mediator({ amount: 50n }).tell(
      forMediator.forwarded(),
      revealSecret(),
      secretRevealed(EXPIRATION - REVEAL_TIMEOUT),
    );
    const actors: [string, Living][] = [
      [CHANNEL, withPartnersLock().ours],
      [MEDIATOR, registered],
    ];
    expect(ledgerOf({ actors, spare: 0n }).pending.promised()).toBe(aside(UPDATE));
  });

  it('is the same update when the lock is paid, whatever has taken the money since', () => {
    const paid = withEnds(withPartnersLock().ours, { partner: { transferred: 50n } });
    const actors: [string, Living][] = [[CHANNEL, withPartnersLock().ours], promised];
    const { pending, weigh } = ledgerOf({ actors, spare: 0n });
    note(pending, CHANNEL, paid);
    pending.forget(MEDIATOR);
    pending.reconsider(true);
    expect([pending.promised(), weigh(update())]).toEqual([aside(UPDATE), 'send']);
    // Without the lock there is no money for it.
    expect(ledgerOf({ actors: [[CHANNEL, paid]], spare: 0n }).pending.promised()).toBe(0n);
  });

  it('is no claim of a payment whose initiator is the payer', () => {
    const direct = target({ amount: 50n }).tell(
      revealSecret(),
      blockReached(EXPIRATION - REVEAL_TIMEOUT),
    );
    const { pending, weigh } = ledgerOf({
      actors: [
        [CHANNEL, openChannel()],
        [TARGET, direct],
      ],
      spare: 0n,
    });
    expect(pending.promised()).toBe(0n);
    expect(weigh(register(TARGET))).toEqual({ wait: 'no free gas money' });
  });
});

describe('what cannot wait', () => {
  const paid = withEnds(withPartnersLock().ours, { partner: { transferred: 50n } });

  it('is sent although the balance is not known, as after a sleep', () => {
    const { weigh } = ledgerOf({ actors: [[CHANNEL, paid]], spare: null, chosen: true });
    expect(weigh(update())).toBe('send');
    expect(weigh(settle())).toEqual({ wait: 'no free gas money' });
  });

  it('waits for a price where the operator has said what its token is worth', () => {
    const values = new Map([[TOKEN, 10n ** 18n]]);
    const { weigh } = ledgerOf({ actors: [[CHANNEL, paid]], spare: null, values });
    expect(weigh(update())).toEqual({ wait: 'no free gas money' });
  });
});

describe('an update that was not promised', () => {
  it('is sent even if its partner has spent its budget before', () => {
    const paid = withEnds(withPartnersLock().ours, { partner: { transferred: 50n } });
    const spare = 3n * UPDATE * PRICE - 1n;
    const { budgets, pending, weigh, charge } = ledgerOf({
      actors: [[CHANNEL, paid]],
      spare,
      chosen: true,
    });
    const spent = { isStranger: true, isSmall: false, unknown: null };
    budgets.charge(PARTNER, spent, OF_PARTNER.most);
    expect(pending.promised()).toBe(0n);
    expect([weigh(update()), charge(update())]).toEqual(['send', []]);
  });
});

describe('an order of the operator', () => {
  it('is sent without a budget, but not from what was promised', () => {
    const actors: [string, Living][] = [[CHANNEL, openChannel()], promised];
    const { weigh, charge, leaves } = ledgerOf({ actors, spare: 0n });
    for (const tx of [deposit, close]) {
      expect([weigh(tx), charge(tx)]).toEqual(['send', []]);
      expect(leaves(tx)).toBe(aside(REGISTRATION));
    }
  });

  it('is over when its channel has gone on without it', () => {
    const { weigh } = ledgerOf({ actors: [[CHANNEL, shut(100n)]] });
    for (const tx of [deposit, close]) expect(weigh(tx)).toBe('over');
    expect(ledgerOf({}).weigh(deposit)).toBe('over');
  });
});

describe('a settlement', () => {
  it('is left to the partner where this node has nothing', () => {
    const { weigh } = ledgerOf({ actors: [[CHANNEL, shut(0n)]], chosen: true });
    expect(weigh(settle())).toEqual({ wait: 'not worth its gas' });
  });

  it('is sent for what this node has put in, from what is free of promises', () => {
    const actors: [string, Living][] = [[CHANNEL, shut(100n)], promised];
    const needed = 3n * REGISTRATION * PRICE + SETTLE * PRICE;
    const rich = ledgerOf({ actors, spare: needed });
    expect([rich.weigh(settle()), rich.charge(settle())]).toEqual(['send', []]);
    const poor = ledgerOf({ actors, spare: needed - 1n });
    expect(poor.weigh(settle())).toEqual({ wait: 'no free gas money' });
    expect(ledgerOf({ actors, spare: null }).weigh(settle())).toEqual({
      wait: 'no free gas money',
    });
  });

  it('goes by the operator’s word, where there is one', () => {
    const value = (SETTLE * PRICE * 10n ** 18n) / 100n;
    const judged = (one: bigint) => {
      const values = new Map([[TOKEN, one]]);
      const { weigh, charge } = ledgerOf({ actors: [[CHANNEL, shut(100n, 0n)]], values });
      return [weigh(settle()), charge(settle()).length];
    };
    expect(judged(value)).toEqual(['send', 0]);
    expect(judged(value - 1n)).toEqual([{ wait: 'not worth its gas' }, 0]);
  });

  it('of what strangers have given is sent, and paid for by a budget in a token that is no money here', () => {
    const actors: [string, Living][] = [[CHANNEL, shut(100n, 0n)]];
    const known = ledgerOf({ actors, chosen: true });
    expect(known.weigh(settle())).toBe('send');
    expect(known.charge(settle())).toEqual([]);
    const unknown = ledgerOf({ actors });
    const sent = Array.from({ length: 20 }, () => {
      const verdict = unknown.weigh(settle());
      if (verdict === 'send') unknown.charge(settle());
      return verdict;
    });
    const settlements = Number(OF_TOKEN.most / SETTLE);
    expect(sent.filter((verdict) => verdict === 'send')).toHaveLength(settlements);
    expect(sent.at(-1)).toEqual({ wait: 'budget spent' });
    expect(unknown.mostGas(settle())).toBe(SETTLE);
  });

  it('may take as much as any in a token that is money here', () => {
    const actors: [string, Living][] = [[CHANNEL, shut(100n, 0n)]];
    expect(ledgerOf({ actors, chosen: true }).mostGas(settle())).toBeUndefined();
    expect(ledgerOf({ actors }).mostGas(settle())).toBe(SETTLE);
  });

  it('of a channel that the operator had closed belongs to its close', () => {
    const own = openChannel({ deposit: 0n }).tell(closed(OWN));
    const { value, context } = own.snapshot;
    const judged = (isOrdered: boolean) => {
      const channel: Living = { snapshot: { value, context: { ...context, isOrdered } } };
      return ledgerOf({ actors: [[CHANNEL, channel]] }).weigh(settle());
    };
    expect([judged(true), judged(false)]).toEqual(['send', { wait: 'not worth its gas' }]);
  });
});

describe('a channel whose partner owes', () => {
  const owing = (amount: bigint) => {
    const lock = { amount, expiration: EXPIRATION, secrethash: hashOf(1) };
    const channel = withEnds(openChannel({ partner: STRANGER, deposit: 0n }), {
      partner: { locks: [lock], locked: amount },
    });
    const { value, context } = channel.snapshot;
    return { snapshot: { value, context: { ...context, registered: [hashOf(1)] } } };
  };

  it('is closed when that is worth a close and a settlement', () => {
    const price = (amount: bigint) =>
      new Map([[TOKEN, ((CLOSE + SETTLE) * PRICE * 10n ** 18n) / amount]]);
    const judged = (amount: bigint) =>
      ledgerOf({ actors: [[OTHER, owing(amount)]], values: price(50n) }).claimRefusal(OTHER);
    expect([judged(50n), judged(49n)]).toEqual([null, 'insufficient_gas']);
  });

  it('is charged for that to the partner, before the next one is weighed', () => {
    const others = Array.from({ length: 200 }, (_, n): [string, Living] => [
      `${OTHER}${n}`,
      owing(1n),
    ]);
    const { claimRefusal, chargeClaim } = ledgerOf({ actors: others, chosen: true });
    const closed = others.filter(([id]) => claimRefusal(id) === null && chargeClaim(id).length > 0);
    expect(closed).toHaveLength(1 + Number((OF_PARTNER.most - CLOSE - SETTLE) / CLOSE));
  });

  it('is no question when nothing is owed', () => {
    expect(
      ledgerOf({ actors: [[CHANNEL, openChannel()]], spare: 0n }).claimRefusal(CHANNEL),
    ).toBeNull();
  });
});
