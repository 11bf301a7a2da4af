import { describe, expect, it } from 'vitest';
import { KINDS, rowOf, stateIn } from '../../../src/node/runtime/kinds.ts';
import type { ActorRow } from '../../../src/store/batch.ts';
import { CHANNEL, NETWORK, OWN, PARTNER, TOKEN } from '../../support/makers.ts';
import { NETWORK_ACTOR } from '../../support/payment-makers.ts';

/** A row as the version before joins and leaves wrote it. */
const oldRow = (value: string, tokenNetwork: string | null): ActorRow => {
  const opening = { requestId: 'request:1', key: 'open:1', partner: PARTNER, channel: CHANNEL };
  const numbers = { $bigint: '5' };
  const context = {
    id: NETWORK_ACTOR,
    token: TOKEN,
    tokenNetwork,
    requestId: null,
    own: OWN,
    chainId: numbers,
    confirmations: numbers,
    defaultRevealTimeout: numbers,
    minRevealTimeout: numbers,
    openings: [{ ...opening, revealTimeout: numbers }],
    jobs: 3,
    wakeBlock: null,
  };
  const state = JSON.stringify({ value, context });
  return { id: NETWORK_ACTOR, kind: 'tokenNetwork', version: 1, state };
};

describe('a token network that was stored before there were joins', () => {
  it('goes on with its openings, and has joined nothing', () => {
    const { value, context } = stateIn(oldRow('registered', NETWORK));
    expect(value).toEqual({ registered: 'idle' });
    expect(context).toMatchObject({
      tokenNetwork: NETWORK,
      jobs: 3,
      openings: [
        {
          requestId: 'request:1',
          key: 'open:1',
          partner: PARTNER,
          channel: CHANNEL,
          revealTimeout: 5n,
          totalDeposit: 0n,
          offer: null,
        },
      ],
      connection: null,
      matches: [],
      join: null,
      leave: null,
    });
  });

  it.each(['registering', 'unregistered'])('stays %s', (value) => {
    expect(stateIn(oldRow(value, null)).value).toBe(value);
  });

  it('is stored in the shape of today and read again', () => {
    const state = stateIn(oldRow('registered', NETWORK));
    const row = rowOf(NETWORK_ACTOR, state);
    expect(row.version).toBe(KINDS.tokenNetwork.version);
    expect(stateIn(row)).toEqual(state);
  });

  it('is refused when its version is not known', () => {
    expect(() => stateIn({ ...oldRow('registered', NETWORK), version: 99 })).toThrow('99');
  });
});
