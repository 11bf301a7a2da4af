/** What the monitoring service needs to keep what it has promised, watched as long as it runs. */
import type { Clock, Log } from '../../basics/environment.ts';
import { watchHealth } from '../../basics/health-checks.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { Outcome } from '../../chain/queue/jobs.ts';
import type { HeadStatus } from '../../chain/watch/watcher.ts';
import type { Transport } from '../../partner/transport.ts';
import { createGasCheck } from '../base/gas.ts';
import { brokerCheck, chainCheck } from '../base/links.ts';
import type { RegistrationPlan } from '../base/registration.ts';
import { createStanding } from '../base/standing.ts';
import type { ServiceTransactions } from '../base/transactions.ts';

export type NeedsParts = {
  client: ChainClient;
  account: Address;
  transport: Pick<Transport, 'isConnected'>;
  plan: RegistrationPlan;
  transactions: Pick<ServiceTransactions, 'add' | 'submitNew' | 'hasOpen'>;
  write(work: () => void): void;
  head(): HeadStatus | null;
  /** How many closes the service may have to send transactions for. */
  takenOn(): number;
  /** Called after each look at the registration, with whether requests may be kept. */
  onLook(takesOn: boolean): void;
  clock: Clock;
  log: Log;
};

const LOOK_MS = 5_000;

export function createNeeds(parts: NeedsParts) {
  const { client, account, transport, plan, transactions, write, head, clock, log } = parts;
  const standing = createStanding({
    ...{ client, plan, transactions, write, clock, log },
    service: account,
    confirmedBlock() {
      const status = head();
      return status?.status === 'ready' ? status.confirmedBlock : null;
    },
    keeps: 'the contract takes balance proofs from registered services only',
    onLook: parts.onLook,
  });
  const gas = createGasCheck({
    client,
    account,
    work: parts.takenOn,
    calls: ['monitor', 'claimReward'],
    isRenewed: plan.renewUpTo !== null,
    keeps: 'balance proofs are brought on chain, and rewards claimed',
    clock,
  });
  const watch = watchHealth(
    [
      chainCheck(head, 'closes of channels are seen'),
      brokerCheck({ transport, clock, keeps: 'requests of nodes are heard' }),
      ...standing.checks,
      gas.check,
    ],
    { now: clock.now, log },
  );
  let end = () => {};

  function look(): void {
    standing.look();
    gas.look();
  }

  return {
    watch,
    /** To be called when there is a new block. */
    look,
    takesOn: standing.takesOn,
    isRegistered: standing.isRegistered,
    /** Called inside the transaction that deletes the job. */
    ended: (key: string, outcome: Outcome): void => standing.ended(key, outcome),
    start(): void {
      standing.start();
      end = clock.every(LOOK_MS, () => {
        look();
        watch.look();
      });
    },
    async stop(): Promise<void> {
      end();
      await Promise.all([standing.stop(), gas.stop()]);
    },
  };
}
