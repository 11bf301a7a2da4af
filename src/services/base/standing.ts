/**
 * Whether the service is registered, as the contracts see it, and for how long: watched while it runs, and renewed in
 * time if that is wanted. Without it nobody pays the service, and it may not act.
 */
import type { Clock, Log } from '../../basics/environment.ts';
import type { Address } from '../../basics/hex.ts';
import { serviceRegistryAbi, tokenAbi } from '../../chain/abi.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { JobOutcome } from '../../chain/queue/jobs.ts';
import { laterCheck, neededCheck } from './health.ts';
import { createLooking } from './looking.ts';
import { isRegistrationKey, type RegistrationPlan, renewalJob } from './registration.ts';
import * as rules from './renewal.ts';
import type { ServiceTransactions } from './transactions.ts';

export type StandingParts = {
  client: ChainClient;
  service: Address;
  plan: RegistrationPlan;
  transactions: Pick<ServiceTransactions, 'add' | 'submitNew' | 'hasOpen'>;
  /** Runs `work` as one durable transaction, at once. */
  write(work: () => void): void;
  /** The newest block that cannot be undone; null while the service has not caught up with the chain. */
  confirmedBlock(): bigint | null;
  /** What the registration keeps, for people. */
  keeps: string;
  /** Called after each look, with whether new work may be taken on. */
  onLook(takesOn: boolean): void;
  clock: Pick<Clock, 'elapsed'>;
  log: Pick<Log, 'info' | 'warn'>;
};
/** `chainTime`: that of the newest block. */
type Facts = rules.RegistrationFacts & { chainTime: bigint };

const LOOK_MS = 60_000;
/** While it is not registered somebody may be about to register it by hand. */
const UNREGISTERED_LOOK_MS = 10_000;
/** Until a renewal that failed is tried again: each try may cost gas. */
const RETRY_MS = 3_600_000;

export function createStanding(parts: StandingParts) {
  const { service, plan, transactions, write, clock, log } = parts;
  const terms = { service, token: plan.token, renewUpTo: plan.renewUpTo };
  let failure: { detail: string; at: number } | null = null;

  const isUnderWay = () => transactions.hasOpen(isRegistrationKey);
  const takesOn = (facts: Facts, now: bigint) =>
    facts.till - now > rules.lastMoments(facts.duration);

  const looking = createLooking({
    read: () => readFacts(parts),
    onRead(facts) {
      renewIfDue(facts);
      parts.onLook(takesOn(facts, facts.chainTime));
    },
    pauseMs: (facts) => (takesOn(facts, facts.chainTime) ? LOOK_MS : UNREGISTERED_LOOK_MS),
    elapsed: clock.elapsed,
  });

  function renewIfDue(facts: Facts): void {
    const { registry, token, renewUpTo: limit } = plan;
    if (limit === null || isUnderWay() || !rules.canRenew(facts, terms)) return;
    if (!rules.isRenewalDue(facts, facts.chainTime)) return;
    if (failure !== null && clock.elapsed() - failure.at < RETRY_MS) return;
    log.info({ till: facts.till, price: facts.price }, 'renewing the registration as a service');
    write(() => transactions.add(renewalJob({ registry, token, limit }, facts.sureTill)));
    transactions.submitNew();
  }

  /** By what is known and the time that it is by now; undefined while nothing is known. */
  function judged<T>(judge: (facts: Facts, now: bigint) => T): T | undefined {
    const known = looking.known();
    if (known === null) return undefined;
    const { value, ageMs } = known;
    return judge(value, value.chainTime + BigInt(Math.floor(ageMs / 1_000)));
  }

  const checks = {
    registration: neededCheck(parts.keeps, 'The service is not registered', () => {
      const unread = looking.trouble();
      if (unread !== null) return `The service registry does not answer: ${unread}`;
      return judged((facts, time) => rules.registrationTrouble(facts, terms, time));
    }),
    renewal: laterCheck(
      'The registration as a service goes on.',
      'The registration as a service ends soon',
      () =>
        judged((facts, time) => {
          const state = { isUnderWay: isUnderWay(), failure: failure?.detail ?? null };
          return rules.renewalTrouble(facts, terms, state, time);
        }),
    ),
  };

  return {
    checks,
    /** Begins the registration that is planned, unless a process before this one has begun one. */
    start(): void {
      const { job } = plan;
      if (job === null || isUnderWay()) return;
      write(() => transactions.add(job));
      transactions.submitNew();
    },
    /** To be called often, and when there is a new block. */
    look(): void {
      if (parts.confirmedBlock() !== null) looking.look();
    },
    /** Called inside the transaction that deletes the job. */
    ended(key: string, outcome: JobOutcome): void {
      if (!isRegistrationKey(key)) return;
      looking.outdate();
      failure = outcome.ok ? null : { detail: outcome.detail, at: clock.elapsed() };
      if (outcome.ok) log.info({ job: key, ...outcome }, 'registered as a service');
      else log.warn({ job: key, ...outcome }, 'not registered as a service');
    },
    /** Whether new work may be taken on; null: not known yet. */
    takesOn: (): boolean | null => judged(takesOn) ?? null,
    /** Whether the contracts take what the service sends; null: not known yet. */
    isRegistered: (): boolean | null => judged(({ till }, time) => till > time) ?? null,
    /** Whether what is owed has to be fetched soon. */
    isEnding: (): boolean =>
      judged(({ till, duration }, time) => till - time <= rules.claimAhead(duration)) ?? false,
    stop: looking.stop,
  };
}

/** Rejects with viem's error. */
async function readFacts({ client, service, plan, ...parts }: StandingParts): Promise<Facts> {
  const blockNumber = parts.confirmedBlock();
  if (blockNumber === null) throw new Error('the service has not caught up with the chain');
  const at = { address: plan.registry, abi: serviceRegistryAbi } as const;
  const valid = { ...at, functionName: 'service_valid_till', args: [service] } as const;
  const [block, till, sureTill, duration, price, held] = await Promise.all([
    client.getBlock(),
    client.readContract(valid),
    client.readContract({ ...valid, blockNumber }),
    client.readContract({ ...at, functionName: 'registration_duration' }),
    client.readContract({ ...at, functionName: 'currentPrice' }),
    client.readContract({
      address: plan.token,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [service],
    }),
  ]);
  return { till, sureTill, duration, price, held, chainTime: block.timestamp };
}
