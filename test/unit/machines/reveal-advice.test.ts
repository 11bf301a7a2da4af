import { expect, it } from 'vitest';
import { revealTimeoutRefusal } from '../../../machines/channel/timeouts.ts';

it.each<[bigint, bigint, string]>([
  [100n, 20n, 'reveal_timeout must be from 20 to 50.'],
  [40n, 20n, 'reveal_timeout must be from 20 to 20.'],
  [39n, 20n, 'reveal_timeout must be at least 20, and the settle timeout twice as long: it is 39.'],
])(
  'tells which reveal timeouts a settle timeout of %s allows, when %s is the shortest',
  (settleTimeout, least, advice) => {
    const asked = { revealTimeout: 0n, minimum: least };
    const refused = revealTimeoutRefusal({ settleTimeout, confirmations: 1n }, asked);
    expect(refused).toEqual({ code: 'invalid_timeout', detail: advice });
  },
);
