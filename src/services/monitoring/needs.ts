/** What the monitoring service needs to keep what it has promised, watched as long as it runs. */
import type { Clock, Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { JobOutcome } from '../../chain/queue/jobs.ts';
import type { HeadStatus } from '../../chain/watch/watcher.ts';
import type { Transport } from '../../partner/transport.ts';
import { createGasCheck } from '../base/gas.ts';
import { watchHealth } from '../base/health.ts';
import {
  brokerCheck,
  type CertificateWatch,
  certificateChecks,
  chainCheck,
} from '../base/links.ts';
import type { RegistrationPlan } from '../base/registration.ts';
import { createStanding } from '../base/standing.ts';
import type { ServiceTransactions } from '../base/transactions.ts';

export type NeedsParts = {
  client: ChainClient;
  account: Address;
  transport: Pick<Transport, 'isConnected'>;
  /** Of the files with which the broker is reached; absent: there are none. */
  certificates?: CertificateWatch;
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
    keeps: 'The contract takes balance proofs from this service.',
    onLook: parts.onLook,
  });
  const gas = createGasCheck({
    client,
    account,
    work: parts.takenOn,
    calls: ['monitor', 'claimReward'],
    isRenewed: plan.renewUpTo !== null,
    keeps: 'Balance proofs are brought on chain, and rewards claimed.',
    clock,
  });
  const rows = watchHealth(
    {
      chain: chainCheck(head, 'Closes of channels are seen.'),
      broker: brokerCheck({ transport, clock, keeps: 'Requests of nodes are heard.' }),
      ...certificateChecks(parts.certificates),
      ...standing.checks,
      gas: gas.check,
    },
    { clock, log },
  );
  let end = () => {};

  function look(): void {
    standing.look();
    gas.look();
  }

  return {
    /** What is needed, as it is now. */
    rows,
    /** To be called when there is a new block. */
    look,
    takesOn: standing.takesOn,
    isRegistered: standing.isRegistered,
    /** Called inside the transaction that deletes the job. */
    ended: (key: string, outcome: JobOutcome): void => standing.ended(key, outcome),
    start(): void {
      standing.start();
      end = clock.every(LOOK_MS, () => {
        look();
        rows();
      });
    },
    async stop(): Promise<void> {
      end();
      await Promise.all([standing.stop(), gas.stop()]);
    },
  };
}
