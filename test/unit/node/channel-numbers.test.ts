import { describe, expect, it } from 'vitest';
import { highestIn, numberRefusal } from '../../../src/node/runtime/knowledge/channel-numbers.ts';
import { NETWORK, STRANGER } from '../../support/makers.ts';

const asked = (newest: bigint, highest: bigint) =>
  numberRefusal(
    {
      reads: { newestChannelId: async () => ({ ok: true, value: newest }) },
      channels: { highestId: () => highest },
    },
    NETWORK,
  );

describe('a channel is not opened', () => {
  it('when it may get the number of one that the chain lost', async () => {
    expect(await asked(4n, 5n)).toMatchObject({ ok: false, code: 'chain_unavailable' });
    expect(await asked(5n, 5n)).toBeNull();
    expect(await asked(9n, 5n)).toBeNull();
  });

  it('when it is not known which number it would get', async () => {
    const away = async () => ({ ok: false, code: 'chain_unavailable' }) as const;
    const context = { reads: { newestChannelId: away }, channels: { highestId: () => 1n } };
    expect(await numberRefusal(context, NETWORK)).toMatchObject({ code: 'chain_unavailable' });
  });
});

describe('the highest number', () => {
  it('is that of the channels in the network', () => {
    const ids = [`channel:${NETWORK}:9`, `channel:${NETWORK}:10`, `channel:${STRANGER}:99`];
    expect(highestIn(ids, NETWORK)).toBe(10n);
    expect(highestIn([], NETWORK)).toBe(0n);
  });
});
