import { describe, expect, it } from 'vitest';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { createChannelFigures } from '../../../src/node/runtime/knowledge/channel-figures.ts';
import {
  addLock,
  openChannel,
  type PlayedChannel,
  withPartnersLock,
} from '../../support/channel-makers.ts';
import { CHANNEL, closed, PARTNER, STRANGER, settled, TOKEN } from '../../support/makers.ts';
import { PAYEE_CHANNEL } from '../../support/mediation-makers.ts';
import { target } from '../../support/payment-makers.ts';

/** What is known of these channels. */
function figuresOf(channels: Record<string, PlayedChannel>) {
  const figures = createChannelFigures();
  for (const [id, { snapshot }] of Object.entries(channels))
    figures.note(id, stateFrom(id, snapshot));
  return figures;
}

const rich = openChannel({ deposit: 100n });
const poor = openChannel({ channelId: 2n, deposit: 20n });
const both = { [CHANNEL]: rich, [PAYEE_CHANNEL]: poor };

describe('what is known of all channels at once', () => {
  it('is whether one of them can pay so much', () => {
    const { canPay } = figuresOf(both);
    expect([null, 20n, 100n, 101n].map((amount) => canPay(TOKEN, amount))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(canPay(STRANGER, null)).toBe(false);
  });

  it('is what each can pay, and how many locks it has given', () => {
    const locked = withPartnersLock({ deposit: 100n, partnerDeposit: 50n }).ours;
    const figures = figuresOf({
      [CHANNEL]: locked.tell(addLock({ n: 2, amount: 30n })),
      [PAYEE_CHANNEL]: poor.tell(closed(PARTNER)),
    });
    expect([figures.payable(CHANNEL), figures.locksPending(CHANNEL)]).toEqual([70n, 1]);
    expect([figures.payable(PAYEE_CHANNEL), figures.payable('channel:unknown:1')]).toEqual([
      null,
      null,
    ]);
  });

  it('is as new as each of them', () => {
    const figures = figuresOf(both);
    figures.note(CHANNEL, stateFrom(CHANNEL, rich.tell(closed(PARTNER)).snapshot));
    expect([figures.canPay(TOKEN, 20n), figures.canPay(TOKEN, 21n)]).toEqual([true, false]);
    figures.forget(PAYEE_CHANNEL);
    figures.forget('channel:unknown:1');
    expect(figures.canPay(TOKEN, null)).toBe(false);
  });

  it('is which are not settled, of a token or of all', () => {
    const figures = figuresOf({
      [CHANNEL]: rich.tell(closed(PARTNER)).tell(settled()),
      [PAYEE_CHANNEL]: poor,
    });
    expect(figures.unsettled(TOKEN)).toEqual([PAYEE_CHANNEL]);
    expect(figures.unsettled(null)).toEqual([PAYEE_CHANNEL]);
    expect(figures.unsettled(STRANGER)).toEqual([]);
  });

  it('is in which of them locks are pending', () => {
    const figures = figuresOf({ [CHANNEL]: withPartnersLock().ours, [PAYEE_CHANNEL]: poor });
    expect(figures.withLocks(null)).toEqual([CHANNEL]);
  });

  it('is what was deposited in those that are open', () => {
    expect([...figuresOf(both).deposits()]).toEqual([[TOKEN, [100n, 20n]]]);
    const closing = figuresOf({ ...both, [CHANNEL]: rich.tell(closed(PARTNER)) });
    expect([...closing.deposits()]).toEqual([[TOKEN, [20n]]]);
    expect([...figuresOf({ [CHANNEL]: rich.tell(closed(PARTNER)) }).deposits()]).toEqual([]);
  });

  it('is nothing of other actors', () => {
    const figures = createChannelFigures();
    figures.note('target:1', stateFrom('target:1', target().snapshot));
    expect(figures.unsettled(null)).toEqual([]);
  });
});
