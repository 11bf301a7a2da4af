import { describe, expect, it } from 'vitest';
import type { MediatorContext } from '../../../machines/mediator/context.ts';
import {
  rewoundChannel,
  rewoundKeeper,
  rewoundMediator,
  rewoundTarget,
} from '../../../machines/rewind.ts';
import { openChannel, withPartnersLock } from '../../support/channel-makers.ts';
import { keeper } from '../../support/keeper-makers.ts';
import {
  closed,
  deposited,
  EXPIRATION,
  hashOf,
  NOW,
  OWN,
  PARTNER,
  proofUpdated,
  SETTLE_TIMEOUT,
  secretRevealed,
  settled,
  unlocked,
  withdrawn,
} from '../../support/makers.ts';
import { mediator } from '../../support/mediation-makers.ts';
import { channelOpened, command, target } from '../../support/payment-makers.ts';
import { withConsent, withdrawRequest } from '../../support/withdraw-makers.ts';

const FORK = NOW - 20n;
const nothing = { left: [], lost: [] };
const channel = openChannel({ deposit: 100n, partnerDeposit: 50n }).snapshot.context;

describe('a channel of which the chain has lost something', () => {
  it('whose opening is lost has nothing on chain, and keeps what was signed in it', () => {
    const paid = withPartnersLock().ours.snapshot.context;
    const { value, context } = rewoundChannel(paid, nothing, FORK);
    expect(value).toBe('stale');
    expect(context.ownEnd).toEqual({ ...paid.ownEnd, deposit: 0n, withdrawn: 0n });
    expect(context.partnerEnd).toEqual({ ...paid.partnerEnd, deposit: 0n, withdrawn: 0n });
    expect(context.partnerProof).toEqual(paid.partnerProof);
    expect(context.wakeBlock).toBeNull();
  });

  it('has the deposits and withdrawals that are left', () => {
    const logs = [
      channelOpened(),
      deposited(OWN, 60n),
      deposited(PARTNER, 20n),
      withdrawn(OWN, 5n),
    ];
    const { value, context } = rewoundChannel(channel, { left: logs, lost: [] }, FORK);
    expect(value).toBe('stale');
    expect(context.ownEnd).toMatchObject({ deposit: 60n, withdrawn: 5n });
    expect(context.partnerEnd).toMatchObject({ deposit: 20n, withdrawn: 0n });
  });

  it('that is still closed goes on at once with what it has to do there', () => {
    const log = closed(PARTNER);
    const { value, context } = rewoundChannel(channel, { left: [log], lost: [] }, FORK);
    expect(value).toBe('closed');
    expect(context.dispute).toMatchObject({ closer: PARTNER, closeBlock: log.at.block });
    expect(context.wakeBlock).toBe(FORK);
    expect(context.settleTimeout).toBe(SETTLE_TIMEOUT);
  });

  it('that is still closed settles with the proofs that still stand on chain', () => {
    const logs = [
      closed(PARTNER, { nonce: 1n, balanceHash: hashOf(5) }),
      proofUpdated(PARTNER, 2n, hashOf(6)),
    ];
    const proofsLeft = (left: typeof logs) =>
      rewoundChannel(channel, { left, lost: [] }, FORK).context.dispute;
    expect(proofsLeft(logs)).toMatchObject({ ownHash: hashOf(5), partnerHash: hashOf(6) });
    expect(proofsLeft(logs.slice(0, 1))).toMatchObject({ partnerHash: null });
    expect(proofsLeft(logs.slice(1))).toBeNull();
  });

  it('that is still closed counts no withdraw that the contract would still have to pay', () => {
    const { context: open } = withConsent().ours.tell(withdrawRequest()).snapshot;
    expect([open.ownEnd.withdraws.length, open.partnerEnd.withdraws.length]).toEqual([1, 1]);
    const { context } = rewoundChannel(open, { left: [closed(OWN)], lost: [] }, FORK);
    expect([context.ownEnd.withdraws, context.partnerEnd.withdraws]).toEqual([[], []]);
  });

  it('waits for no transaction of before, and answers nobody for it', () => {
    const busy = withConsent().ours.tell(command.deposit(150n)).tell(command.close());
    const { context: before } = busy.snapshot;
    const waited = { deposit: null, withdraw: null, closeRequest: null };
    for (const name of ['deposit', 'withdraw', 'closeRequest'] as const)
      expect(before[name]).not.toBeNull();
    expect(rewoundChannel(before, nothing, FORK).context).toMatchObject(waited);
  });

  it('whose close is lost can be closed, and settles nothing', () => {
    const dispute = { closer: OWN, closeBlock: NOW, ownHash: null, partnerHash: null };
    const { value, context } = rewoundChannel(
      { ...channel, dispute, wakeBlock: NOW + 1n },
      { left: [deposited(OWN, 100n)], lost: [closed(OWN)] },
      FORK,
    );
    expect([value, context.dispute, context.wakeBlock]).toEqual(['stale', null, null]);
  });

  it('whose settlement is lost has nothing to unlock yet', () => {
    const claiming = { ...channel, unlocks: ['own' as const] };
    const split = { left: [closed(OWN)], lost: [settled(), unlocked(OWN)] };
    expect(rewoundChannel(claiming, split, FORK).context.unlocks).toEqual([]);
  });

  it('that is settled unlocks once more what was unlocked in blocks that are lost', () => {
    const settling = { ...channel, unlocks: ['partner' as const], wakeBlock: null };
    const split = { left: [settled()], lost: [unlocked(OWN)] };
    const { value, context } = rewoundChannel(settling, split, FORK);
    expect(value).toBe('claiming');
    expect(context).toMatchObject({ unlocks: ['own', 'partner'], wakeBlock: FORK });
    expect(context.ownEnd).toEqual(channel.ownEnd);
  });

  it('that is settled unlocks nothing twice, and what is unlocked for good not at all', () => {
    const unlocks = (['own', 'partner'] as const).map((side) => ({ ...channel, unlocks: [side] }));
    const again = (lost: ReturnType<typeof unlocked>[]) =>
      unlocks.map((one) => rewoundChannel(one, { left: [settled()], lost }, FORK).context.unlocks);
    expect(again([])).toEqual([['own'], ['partner']]);
    expect(again([unlocked(PARTNER)])).toEqual([['own', 'partner'], ['partner']]);
  });

  it('that is settled gives its new unlocks a key of their own', () => {
    const { context } = rewoundChannel(channel, { left: [settled()], lost: [] }, FORK);
    expect(context.jobs).toBe(channel.jobs + 1);
  });

  it('asks for no transaction under a key that was used', () => {
    expect(rewoundChannel(channel, nothing, FORK).context.jobs).toBe(channel.jobs + 1);
  });
});

describe('a payment whose secret was registered', () => {
  it('registers it once more', () => {
    const { context } = target().snapshot;
    expect(rewoundTarget('registered', context, FORK)).toEqual({
      value: 'registering',
      context: { ...context, wakeBlock: FORK },
    });
    expect(rewoundTarget('requesting', context, FORK)).toBeNull();
  });

  it('registers it once more as a mediator, whatever became of the payee', () => {
    const context: MediatorContext = mediator().snapshot.context;
    const value = { payer: { unpaid: 'registered' }, payee: 'unlocked' };
    expect(rewoundMediator(value, context, FORK)).toEqual({
      value: { payer: { unpaid: 'registering' }, payee: 'unlocked' },
      context: { ...context, payerBlock: FORK, wakeBlock: FORK },
    });
    expect(
      rewoundMediator({ payer: { unpaid: 'pending' }, payee: 'pending' }, context, FORK),
    ).toBeNull();
  });

  it('does nothing for a payer that has paid, or whose lock is gone', () => {
    const { context } = mediator().snapshot;
    for (const payer of ['paid', 'lost'])
      expect(rewoundMediator({ payer, payee: 'pending' }, context, FORK)).toBeNull();
    expect(rewoundMediator('registered', context, FORK)).toBeNull();
  });

  it('registers it once more for a lock that no payment answers for, if the secret is known', () => {
    const { value, context } = keeper().tell(secretRevealed(EXPIRATION - 1n)).snapshot;
    expect(rewoundKeeper(value, context, FORK)).toEqual({
      value: 'registering',
      context: { ...context, wakeBlock: FORK },
    });
    const untold = keeper({ isPublic: true }).snapshot;
    expect(untold.value).toBe('registered');
    expect(rewoundKeeper(untold.value, untold.context, FORK)).toBeNull();
    expect(rewoundKeeper('holding', context, FORK)).toBeNull();
  });
});
