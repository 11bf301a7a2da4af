/** What an operator is told in a notification: what is the case, what follows from it, and what can be done. */
import { UNSAFE_TIMEOUTS } from '../../../machines/channel/timeouts.ts';
import { wholeUnits } from '../../basics/amount.ts';
import type { Trouble } from '../../basics/health.ts';
import type { Address } from '../../basics/hex.ts';
import type { FailingTransaction } from '../chain/jobs/job-troubles.ts';
import type { UnsafeChannel } from '../runtime/knowledge/unsafe-channels.ts';

/** Smallest units of the service token below which the user deposit is low. */
export const LEAST_DEPOSIT = 55n * 10n ** 17n;

export function unavailableChain(reason: string): Trouble {
  return {
    summary: 'The node does not see the chain as it is now',
    body:
      `${reason}\nUntil this is mended, nothing can be paid or received, and nothing is passed on. Deadlines ` +
      'of what is pending go on: check the endpoint of --eth-rpc-endpoint and the clock of this machine.',
  };
}

export function lowDeposit(own: Address, held: bigint): Trouble {
  const least = wholeUnits(LEAST_DEPOSIT, 'up');
  const missing = wholeUnits(LEAST_DEPOSIT - held, 'up');
  return {
    summary: 'The user deposit is low',
    body:
      `The user deposit of ${own} has ${wholeUnits(held, 'down')} service tokens left to pay services ` +
      `with; it should have at least ${least}.\nDeposit ${missing} more with POST /api/v1/user_deposit, ` +
      'or path finding and monitoring may end.',
  };
}

export function missingGas(own: Address, left: bigint, wanted: bigint): Trouble {
  // Transactions under way may have reserved more than the account holds.
  const spare = left > 0n ? left : 0n;
  return {
    summary: 'The account has too little money for gas',
    body:
      `The account ${own} has ${wholeUnits(spare, 'down')} of the chain's currency left to spend. To bring ` +
      'the secrets of pending payments on chain and to close, settle and unlock its channels, ' +
      `${wholeUnits(wanted, 'up')} are needed, at three times the highest gas price of the last minutes.\n` +
      `Send it at least ${wholeUnits(wanted - spare, 'up')}: until then this node passes no payments on ` +
      'and takes none that it could not protect.',
  };
}

export function unavailableRouting(trouble: string, hasFallback: boolean): Trouble {
  const meanwhile = hasFallback
    ? 'Until then ways are found on the own copy of the network.'
    : 'Until then only partners can be paid: --no-routing-fallback keeps the node from looking itself.';
  return {
    summary: 'The path-finding service is no help',
    body: `${trouble}\nCheck the address of --pathfinding-service-address. ${meanwhile}`,
  };
}

export function unavailableBroker(trouble: string): Trouble {
  return {
    summary: 'The message broker is away',
    body:
      `${trouble}\nUntil it is back, nothing can be paid or received, and nothing is passed on; pending payments ` +
      'end on chain if they must. Check --nats and the broker: the node tries again by itself.',
  };
}

/** `isWaitedFor`: nothing leaves the node before the replica has it. */
export function awayReplica(
  { since, message }: { since: number; message: string },
  isWaitedFor: boolean,
): Trouble {
  const meanwhile = isWaitedFor
    ? 'Until it has, nothing is paid or received, and nothing is passed on.'
    : 'What happens now is lost if this machine is.';
  return {
    summary: isWaitedFor
      ? 'The replica does not acknowledge'
      : 'The replica does not acknowledge, and the node goes on without it',
    body:
      `The database has not been replicated since ${new Date(since).toISOString()}: ${message}.\n` +
      `Check the brokers of --nats and the stream with \`sluice replica status\`. ${meanwhile}`,
  };
}

export function missingStandby(since: number): Trouble {
  return {
    summary: 'The standby is gone: nobody could take over',
    body:
      `A standby that has all records of the stream was heard last at ${new Date(since).toISOString()}.\nStart it again ` +
      'with --standby, and look at its log: if this machine is lost now, no other goes on.',
  };
}

/** `trouble`: which end, and when. */
export function endingCertificates(trouble: string): Trouble {
  return {
    summary: 'A certificate for the broker ends soon',
    body:
      `${trouble}\nPut a new one into its place: it is read at the next connection. Afterwards the broker lets ` +
      'nobody in with the old one, and nothing can be paid or received.',
  };
}

const WEEK_MS = 604_800_000;

/** `madeAt`: null when there is none, as of operators who never made one. */
export function oldBackup(madeAt: number | null, now: number): Trouble | null | undefined {
  if (madeAt === null) return undefined;
  if (now - madeAt < WEEK_MS) return null;
  return {
    summary: 'The newest backup is older than a week',
    body:
      `The newest backup of the database was made at ${new Date(madeAt).toISOString()}.\nMake another one with ` +
      '`sluice backup`, or have the database replicated (--replicate).',
  };
}

export const unpaidMonitoring = (trouble: string): Trouble => ({
  summary: 'No monitoring service looks after the channels: it could not be paid',
  body:
    `${trouble} So none is asked to look after the channels while this node is away.\nDeposit more with ` +
    'POST /api/v1/user_deposit, or offer less with --monitoring-reward.',
});

export function fullDisk({ left, least }: { left: number; least: number }): Trouble {
  const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
  return {
    summary: 'The disk of the database is nearly full',
    body:
      `${megabytes(left)} MB are left on the disk of the database, and ${megabytes(least)} MB is the least ` +
      'with which payments are made and taken (--min-free-disk).\nFree some space: until then this node ' +
      'only brings to an end what is pending.',
  };
}

/** `trouble`: what is the case, and what can be done. */
export function lostDatabase(trouble: string): Trouble {
  return { summary: 'The database was deleted or replaced while the node runs', body: trouble };
}

export function missingFiles(trouble: string): Trouble {
  return { summary: 'A file is missing that the next start needs', body: trouble };
}

export function unsafeTimeouts(channels: readonly UnsafeChannel[]): Trouble | null {
  const [first] = channels;
  if (first === undefined) return null;
  return {
    summary: 'A channel takes no payments: its timeouts are too short',
    body:
      `${channels.length} open channels give and take no locks, the first of them with ${first.partner} ` +
      `for ${first.token}.\n${UNSAFE_TIMEOUTS}`,
  };
}

export function frozenChannels(channels: readonly UnsafeChannel[]): Trouble | null {
  const [first] = channels;
  if (first === undefined) return null;
  return {
    summary: 'A channel is frozen: it can only be closed',
    body:
      `${channels.length} channels are frozen, the first of them with ${first.partner} for ${first.token}: an old copy ` +
      'of the database has run, and the partner may hold newer signatures.\nEnd whatever else runs with this key, and ' +
      'close the channel.',
  };
}

export function outdated(own: string, newer: string): Trouble {
  return {
    summary: `Version ${newer} is out`,
    body: `This node runs version ${own}.\nInstall version ${newer} and restart the node.`,
  };
}

export function insecure(own: string, newer: string): Trouble {
  return {
    summary: `Version ${newer} mends a security problem`,
    body: `This node runs version ${own}, which is not safe.\nInstall version ${newer} now and restart the node.`,
  };
}

export function silentPartners(channels: readonly UnsafeChannel[]): Trouble | null {
  const [first] = channels;
  if (first === undefined) return null;
  return {
    summary: 'A partner acknowledges nothing: its channel takes no payments',
    body:
      `${channels.length} channels have so many unacknowledged messages that no lock is given in them, the first of ` +
      `them with ${first.partner} for ${first.token}.\nThey are used again when the partner acknowledges what was ` +
      'sent to it. If it stays silent, close the channel: what it owes is claimed on chain.',
  };
}

export function lateNode(blocks: bigint): Trouble | null {
  if (blocks === 0n) return null;
  return {
    summary: 'The node is late against the chain',
    body:
      `In the last ten minutes a deadline was judged ${blocks} blocks too late, though the chain could be reached.\n` +
      'This machine is too slow or too busy: give the node more of a processor, or longer reveal timeouts ' +
      '(--default-reveal-timeout), before a payment is lost.',
  };
}

export function failingTransactions(some: readonly FailingTransaction[]): Trouble | null {
  const [first] = some;
  if (first === undefined) return null;
  const { what, failures, detail } = first;
  const count = some.length === 1 ? 'One transaction fails' : `${some.length} transactions fail`;
  return {
    summary: 'A transaction that this node needs fails again and again',
    body:
      `${count}: ${what} has failed ${failures} times in a row, the last time because of: ${detail}\n` +
      'The node tries again by itself, and the log has a line for each reason. If nothing changes, look at the endpoint ' +
      'of --eth-rpc-endpoint, at the money for gas, and at the contract of the token.',
  };
}
