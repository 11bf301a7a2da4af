import { describe, expect, it } from 'vitest';
import { createHearing, NO_LIMITS } from '../../../src/node/routing/hearing.ts';
import { createStatementIntake } from '../../../src/node/routing/statement-intake.ts';
import { encodeServiceMessage } from '../../../src/protocol/services/service-messages.ts';
import type { Statement } from '../../../src/routing/waiting-room.ts';
import { NETWORK, PARTNER, SIGNATURE, STRANGER } from '../../support/makers.ts';
import { until } from '../../support/until.ts';

/** What a stranger states about channel `n`, as a line. */
function line(n: number): string {
  const message: Statement = {
    type: 'PFSCapacityUpdate',
    chainId: 7n,
    tokenNetwork: NETWORK,
    channelId: BigInt(n),
    updatingParticipant: STRANGER,
    otherParticipant: PARTNER,
    updatingNonce: 1n,
    otherNonce: 1n,
    updatingCapacity: 9n,
    otherCapacity: 0n,
    revealTimeout: 10n,
  };
  return encodeServiceMessage({ message, signature: SIGNATURE });
}
const linesOf = (count: number, first = 1) =>
  Buffer.from(Array.from({ length: count }, (_, at) => line(first + at)).join('\n'));

describe('what nodes broadcast', () => {
  function intake({ messageMs = 0 } = {}) {
    const heard: bigint[] = [];
    const refused: string[] = [];
    let time = 0;
    const take = createStatementIntake({
      now: () => time,
      hear({ message }) {
        if (message.type !== 'RequestMonitoring') heard.push(message.channelId);
        time += messageMs;
      },
      onRefused: (reason) => void refused.push(reason),
    });
    return { take, heard, refused };
  }

  it('is heard at once, in order, as far as there is time', () => {
    const { take, heard } = intake();
    take(linesOf(3));
    expect(heard).toEqual([1n, 2n, 3n]);
  });

  it('waits for its turn when it takes long, and keeps its order', async () => {
    const { take, heard } = intake({ messageMs: 2 });
    take(linesOf(5));
    take(linesOf(2, 6));
    expect(heard).toEqual([1n, 2n, 3n]);
    await until(() => heard.length === 7);
    expect(heard).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n]);
  });

  it('is heard at once when much waits, so that the broker has to wait, too', async () => {
    const { take, heard } = intake({ messageMs: 9 });
    const large = (n: number) =>
      Buffer.concat([linesOf(1, n), Buffer.from('\n'), Buffer.alloc(1_000_000, 0x0a)]);
    for (let n = 1; n <= 8; n++) take(large(n));
    expect(heard).toEqual([1n]);
    for (let n = 9; n <= 11; n++) take(large(n));
    expect(heard).toEqual([1n, 2n, 3n, 4n]);
    await until(() => heard.length === 11);
    expect(heard.at(-1)).toBe(11n);
  });

  it('does not stop at a line that nobody understands', () => {
    const { take, heard, refused } = intake();
    take(Buffer.from(`{\n${line(4)}`));
    expect(heard).toEqual([4n]);
    expect(refused).toHaveLength(1);
  });
});

describe('statements about channels', () => {
  function hearing({ isKnown, ...given }: { isKnown: boolean; limits?: typeof NO_LIMITS }) {
    let checks = 0;
    let time = 0;
    const copy = { isWanted: () => true, knows: () => isKnown, announced() {} };
    const take = createHearing({
      chainId: 7n,
      recover() {
        checks += 1;
        return null;
      },
      copyFor: () => copy,
      elapsed: () => time,
      ...given,
    });
    return {
      /** Signatures that are checked of so many payloads of a thousand forged statements. */
      checksOf(payloads: number): number {
        const before = checks;
        for (let n = 0; n < payloads; n++) take(linesOf(1_000));
        return checks - before;
      },
      async pass(seconds: number) {
        time += 1_000 * seconds;
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
  }

  it('cost only so many checks of signatures, whoever forges how many', async () => {
    const { checksOf, pass } = hearing({ isKnown: true });
    expect(checksOf(12)).toBe(10_000);
    expect(checksOf(1)).toBe(0);
    await pass(0.5);
    expect(checksOf(1)).toBe(500);
  });

  it('are all checked by the one copy of a simulated network, which thousands of nodes tell at once', () => {
    const { checksOf } = hearing({ isKnown: false, limits: NO_LIMITS });
    expect(checksOf(20)).toBe(20_000);
  });

  it('cost fewer when the channels are thought up', async () => {
    const { checksOf, pass } = hearing({ isKnown: false });
    expect(checksOf(6)).toBe(5_000);
    await pass(1);
    expect(checksOf(1)).toBe(200);
  });
});
