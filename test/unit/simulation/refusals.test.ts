/** The rule that what a node refuses to its owner it refuses for a reason that is so. */
import { describe, expect, it } from 'vitest';
import type { ChannelFacts } from '../../../src/simulation/chain/contracts/token-network.ts';
import {
  createRefusals,
  type Request,
} from '../../../src/simulation/invariants/records/refusals.ts';
import { CHANNEL, NETWORK, PARTNER } from '../../support/makers.ts';
import { at, broken, honest, WHO } from '../../support/rules.ts';

const OTHER = { ...honest, name: 'node-1', address: PARTNER };
type Terms = {
  /** Since when nothing is in the way; null: something is. */
  undisturbedBlock?: bigint | null;
  state?: ChannelFacts['state'];
  isCheat?: boolean;
};

/** A node with a channel that has 50 units, and 50 units of the tokens of services, of which it means to take out 20. */
function world({ undisturbedBlock = 0n, state = 'opened', isCheat = false }: Terms = {}) {
  const now = { head: 10n, state };
  const rule = createRefusals({
    channelOf: (id) => (id === CHANNEL ? at(now.state) : null),
    channelIdOf: () => 1n,
    head: () => now.head,
    honest: () => (isCheat ? null : OTHER),
    machine: () => honest,
    tokenNetwork: NETWORK,
    undisturbedSince: () => undisturbedBlock,
    tokensOf: () => 50n,
    userDepositOf: () => ({ total: 90n, balance: 50n, planned: 20n, firstBlock: 100n }),
    balanceOf: () => 50n,
  });
  const ask = (request: Partial<Request>) =>
    rule.asks(WHO, { do: 'plan_user_withdrawal', partner: null, amount: 40n, ...request });
  /** What the rule says within some blocks. */
  function judged(): number | null {
    for (; now.head < 20n; now.head++) {
      const invariant = broken(() => rule.block());
      if (invariant !== null) return invariant;
    }
    return broken(() => rule.end());
  }
  function refused(code: string, request: Partial<Request> = {}): number | null {
    ask(request)(code);
    return judged();
  }
  return { now, ask, judged, refused };
}

describe('what a node refuses to its owner', () => {
  it('is not refused for a transaction that failed, when nothing is in the way', () => {
    expect(world().refused('transaction_failed')).toBe(27);
  });

  it('may be refused for any reason while something is in the way, or since it was asked for', () => {
    expect(world({ undisturbedBlock: null }).refused('transaction_failed')).toBeNull();
    expect(world({ undisturbedBlock: 10n }).refused('transaction_failed')).toBeNull();
  });

  it('is refused as too much only when there is less', () => {
    const amounts = [50n, 51n].flatMap((amount) => [
      world().refused('above_balance', { amount }),
      world().refused('insufficient_balance', { amount }),
    ]);
    expect(amounts).toEqual([27, 27, null, null]);
    const plans = [20n, 21n].map((amount) => world().refused('above_plan', { amount }));
    expect(plans).toEqual([27, null]);
  });

  it('is refused as too early only before its block', () => {
    const { now, refused } = world();
    expect(refused('too_early')).toBeNull();
    now.head = 106n;
    expect(refused('too_early')).toBe(27);
  });

  it('is refused as a total that is reached already only beside something else', () => {
    expect(world().refused('total_not_higher')).toBe(27);
    const { ask, refused } = world();
    ask({});
    expect(refused('total_not_higher')).toBeNull();
  });

  it('is refused as busy only beside something else that the owner has asked for', () => {
    expect(world().refused('busy')).toBe(27);
    const { ask, refused } = world();
    ask({});
    expect(refused('busy')).toBeNull();
    const joining = world();
    joining.ask({ do: 'join' });
    expect(joining.refused('busy', { do: 'open_channel', partner: PARTNER })).toBeNull();
  });

  it('is refused for want of an open channel only when it is closed soon', () => {
    const inChannel = { do: 'withdraw', partner: PARTNER };
    expect(world().refused('channel_not_open', inChannel)).toBe(27);
    expect(world({ state: 'closed' }).refused('channel_not_open', inChannel)).toBeNull();
    const { now, ask, judged } = world();
    ask(inChannel)('channel_not_open');
    now.state = 'closed';
    expect(judged()).toBeNull();
  });

  it('waits for no partner that is there', () => {
    const inChannel = { do: 'withdraw', partner: PARTNER };
    expect(world().refused('partner_silent', inChannel)).toBe(27);
    expect(world({ isCheat: true }).refused('partner_silent', inChannel)).toBeNull();
  });

  it('is paid over a channel that has the amount, whatever else a payment may fail for', () => {
    const paid = { do: 'pay', partner: PARTNER };
    expect(world().refused('no_route', paid)).toBe(27);
    expect(world().refused('insufficient_balance', paid)).toBe(27);
    expect(world().refused('no_route', { ...paid, amount: 51n })).toBeNull();
    expect(world({ isCheat: true }).refused('no_route', paid)).toBeNull();
    expect(world().refused('lock_expired', paid)).toBeNull();
  });
});
