import { describe, expect, it } from 'vitest';
import { isSafeToWait } from '../../../src/protocol/expiration.ts';
import { routesMetadata } from '../../../src/protocol/metadata.ts';
import {
  type ChannelParts,
  openChannel,
  partnersChannel,
  partnersLock,
  received,
} from '../../support/channel-makers.ts';
import { NOW, OWN, PARTNER, STRANGER } from '../../support/makers.ts';
import { command } from '../../support/payment-makers.ts';
import { effectOf } from '../../support/played.ts';

/** The blocks that a mediator reserves to claim what its payer locked for so many. */
function mediatorReserves(lockTimeout: bigint, parts: ChannelParts): bigint {
  const metadata = routesMetadata([PARTNER, OWN, STRANGER]);
  const sent = partnersLock({ lockTimeout, target: STRANGER, metadata });
  const transfer = received(partnersChannel({}).tell(sent));
  const mediator = openChannel({ isRevealChosen: false, ...parts }).tell(transfer);
  return effectOf(mediator, 'spawn.mediator').input.payer.revealTimeout;
}

/** The blocks that a payee reserves for a lock of `lockTimeout` blocks. */
function reserved(lockTimeout: bigint, parts: ChannelParts = {}) {
  const transfer = received(partnersChannel({}).tell(partnersLock({ lockTimeout })));
  const payee = openChannel({ revealTimeout: 18n, ...parts }).tell(transfer);
  const { input } = effectOf(payee, 'spawn.target');
  return {
    revealTimeout: input.revealTimeout,
    isSafe: isSafeToWait(input.expiration, input.revealTimeout, NOW),
  };
}

describe('the reveal timeout of an incoming lock', () => {
  it('is the one that somebody here has chosen, also when the lock is too short for it', () => {
    expect(reserved(15n)).toEqual({ revealTimeout: 18n, isSafe: false });
  });

  it('is half of a shorter lock where nobody here has chosen any', () => {
    expect(reserved(15n, { isRevealChosen: false })).toEqual({ revealTimeout: 7n, isSafe: true });
  });

  it('is the channel’s for a lock that is long enough', () => {
    expect(reserved(40n, { isRevealChosen: false })).toMatchObject({ revealTimeout: 18n });
  });

  it('is never below the minimum of the chain', () => {
    const parts = { isRevealChosen: false, minRevealTimeout: 20n };
    expect(reserved(15n, parts)).toEqual({ revealTimeout: 20n, isSafe: false });
  });

  it.each([
    [2n, 18n, 7n],
    [4n, 18n, 8n],
    [6n, 18n, 12n],
    [20n, 18n, 18n],
  ])(
    'is, of a transfer to be passed on where the chain asks for %s of %s blocks, %s',
    (minRevealTimeout, revealTimeout, expected) => {
      expect(mediatorReserves(15n, { minRevealTimeout, revealTimeout })).toBe(expected);
    },
  );

  it('counts as chosen once it was set', () => {
    const channel = openChannel({ isRevealChosen: false }).tell(command.setRevealTimeout(19n));
    expect(channel.snapshot.context).toMatchObject({ revealTimeout: 19n, isRevealChosen: true });
  });
});
