/** What the path-finding service reads at its start. */
import { expect, it } from 'vitest';
import type { Address } from '../../../../src/basics/hex.ts';
import { openServiceDatabase } from '../../../../src/services/base/database.ts';
import { prepareRows } from '../../../../src/services/pathfinding/rows.ts';

const address = (of: number): Address => `0x${of.toString(16).padStart(40, '0')}`;
const STAMP = { chainId: 1n, tokenNetworkRegistry: address(1), ownAddress: address(2) };

it('reads every channel once, however many there are', () => {
  const opened = openServiceDatabase(':memory:', { ...STAMP, service: 'pathfinding' });
  if (!opened.ok) throw new Error(opened.message);
  const rows = prepareRows(opened.database.connection);
  const ids = Array.from({ length: 2_500 }, (_, at) => BigInt(3_000 - at));
  opened.database.write(() => {
    for (const channelId of ids)
      rows.addChannel({
        tokenNetwork: address(3),
        channelId,
        participant1: address(4),
        settleTimeout: 500n,
        participant2: address(5),
        deposit1: 1n,
        deposit2: 2n,
        withdraw1: 0n,
        withdraw2: 0n,
      });
    // So that places are missing within a page.
    for (const channelId of ids.slice(10, 20))
      rows.removeChannel({ tokenNetwork: address(3), channelId });
  });
  const read = [...rows.channels()].map(({ channelId }) => channelId);
  expect(read).toEqual(ids.toSpliced(10, 10));
  opened.database.close();
});
