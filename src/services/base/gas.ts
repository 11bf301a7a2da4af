/** Whether the account of a service can pay the gas of what it has taken on: its transactions come when others demand. */
import type { Clock } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import { GAS_ESTIMATES } from '../../chain/queue/calls.ts';
import type { CallKind } from '../../chain/queue/jobs.ts';
import { weiFor } from '../../node/chain/gas/gas-reserve.ts';
import { neededCheck } from './health.ts';
import { createLooking } from './looking.ts';

export type GasParts = {
  client: Pick<ChainClient, 'getBalance' | 'getGasPrice'>;
  account: Address;
  /** What has to be done at present, of what strangers may begin. */
  work(): number;
  /** The transactions of one such work. */
  calls: readonly CallKind[];
  /** Whether the registration is renewed, which takes gas, too. */
  isRenewed: boolean;
  /** What the gas keeps, for people. */
  keeps: string;
  clock: Pick<Clock, 'elapsed'>;
};
/** `least`: wei that the account should hold. */
type Facts = { held: bigint; least: bigint };

const LOOK_MS = 60_000;
/** Most works that are counted: strangers may begin any number, and must not make a service that does its work look idle. */
const MOST_WORKS = 20;
const RENEWAL: readonly CallKind[] = ['approve', 'registerService'];

export function createGasCheck(parts: GasParts) {
  const { client, account, clock } = parts;
  const gasOf = (calls: readonly CallKind[]) =>
    calls.reduce((sum, kind) => sum + GAS_ESTIMATES[kind], 0n);
  const gasOfOne = gasOf(parts.calls);
  const gasOfRenewal = parts.isRenewed ? gasOf(RENEWAL) : 0n;
  let isLow = false;

  /** At least one work is counted: it may begin at any moment. */
  function leastAt(price: bigint): bigint {
    const works = BigInt(Math.min(Math.max(parts.work(), 1), MOST_WORKS));
    return weiFor(works * gasOfOne + gasOfRenewal, price);
  }

  const looking = createLooking<Facts>({
    async read() {
      const [held, price] = await Promise.all([
        client.getBalance({ address: account }),
        client.getGasPrice(),
      ]);
      return { held, least: leastAt(price) };
    },
    onRead({ held, least }) {
      // Once it was too little, a little more than enough is wanted, as the price goes up and down.
      isLow = held < (isLow ? (least * 5n) / 4n : least);
    },
    pauseMs: () => LOOK_MS,
    elapsed: clock.elapsed,
  });

  const check = neededCheck(parts.keeps, 'The account has too little money for gas', () => {
    const unread = looking.trouble();
    if (unread !== null) return `The money for gas cannot be read: ${unread}`;
    const known = looking.known()?.value;
    if (known === undefined) return undefined;
    if (!isLow) return null;
    return `The account ${account} holds ${known.held} wei, and what the service has taken on may cost ${known.least} wei of gas: send it some.`;
  });
  return { check, look: looking.look, stop: looking.stop };
}
