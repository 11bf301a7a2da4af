/**
 * A node tells its owner when its account could not pay for the end of all its channels, and only then (docs/limits.md, "Money
 * for gas"): a close, an update, a settlement and an unlock of each, and a registration of each promise, at three times what
 * gas costs. How much that is, is counted here from the chain, with what such calls take there.
 */
import { larger } from '../../../basics/amount.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';
import type { OwnChannel } from './own-channels.ts';

type Needs = Pick<
  Facts,
  'isOpen' | 'machine' | 'machines' | 'undisturbedSince' | 'usualTip' | 'wei'
> & {
  channelsOf(owner: Address): readonly OwnChannel[];
  /** Of what the node may be forced to register, at least. */
  registrationGas(who: string): bigint;
  /** Pending locks of its partners. */
  partnerLocks(who: string): bigint;
  /** The lowest price of a unit of gas in the last blocks. */
  lowestPrice(): bigint;
};
/** `poorSince`: seconds since 1970; null: it has enough, or something is in its way. */
type Account = { isTold: boolean; poorSince: bigint | null; jobs: Set<string> };

const FACTOR = 3n;
/** The least that a channel takes to its end: a close 41,000, an update 68,000, a settlement 60,000, an unlock 48,000. */
const LEAST = 217_000n;
/** The most that a node counts for one with its own locks, and for a lock of its partner. */
const MOST = 1_400_000n;
const FOR_LOCK = 65_000n;
/** A lock of a stranger that it refused may have wanted so many times as much as all promises. */
const FOR_STRANGERS = 4n;
/** Each minute a node looks. */
const SECONDS = 150n;
const ID = 'missing_gas_reserve';

export function createGasTold(needs: Needs): Oracle {
  const { machine, machines, wei, channelsOf, isOpen, undisturbedSince } = needs;
  const accounts = new Map<string, Account>();
  let highest = 0n;
  const accountOf = (who: string) =>
    getOrMake(accounts, who, (): Account => ({ isTold: false, poorSince: null, jobs: new Set() }));

  /** Whether the account has less than the least that all its open channels can take. */
  function isPoor(who: string, address: Address): boolean {
    const open = channelsOf(address).filter(({ id }) => isOpen(id)).length;
    const gas = BigInt(open) * LEAST + needs.registrationGas(who);
    return wei(address) < FACTOR * gas * needs.lowestPrice();
  }

  /** It says that money is missing. What it wants for a lock that it refused, and for what is under way, counts, too. */
  function checkNeed(who: string, { jobs }: Account) {
    const node = machine(who);
    if (node === null || jobs.size > 0 || undisturbedSince() === null) return;
    const channels = BigInt(channelsOf(node.address).length + 1);
    const gas = channels * MOST + (needs.partnerLocks(who) + 1n) * FOR_LOCK;
    const most = FOR_STRANGERS * FACTOR * gas * highest;
    if (wei(node.address) <= most) return;
    const text = `${who} says that it lacks money for gas, and has more than ${most} wei`;
    throw new Violation(28, who, text);
  }

  return {
    commit(who, { jobs, jobsDone, notifications, over }) {
      const account = accountOf(who);
      for (const { key } of jobs) account.jobs.add(key);
      for (const key of jobsDone) account.jobs.delete(key);
      if (over.includes(ID)) account.isTold = false;
      if (!notifications.some(({ id }) => id === ID)) return;
      account.isTold = true;
      checkNeed(who, account);
    },
    block({ baseFee, timestamp }) {
      highest = larger(highest, baseFee + needs.usualTip());
      const isQuiet = undisturbedSince() !== null;
      for (const { name, address, isFit } of machines()) {
        const account = accountOf(name);
        const isShort = isQuiet && isFit && !account.isTold && isPoor(name, address);
        account.poorSince = isShort ? (account.poorSince ?? timestamp) : null;
        if (account.poorSince === null || timestamp - account.poorSince <= SECONDS) continue;
        const text = `${name} has too little money for the gas of its channels, and does not say so`;
        throw new Violation(28, name, text);
      }
    },
  };
}
