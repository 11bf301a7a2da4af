/**
 * Nobody pays more gas because of a cheat than the cheat pays itself, in gas and in what its tokens are worth. What a
 * node has to pay for a channel that it wanted is not counted up to what such a channel takes to its end; for a channel
 * that it never asked for, it owes nobody anything. Registrations are not counted as gas: those for one partner have a rule
 * of their own (`registrations`), and those for all strangers together their bound here (docs/limits.md).
 */

import { channelActorId } from '../../../../machines/base/actor-ids.ts';
import { larger } from '../../../basics/amount.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import { secretsIn } from '../../../chain/queue/calls.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { Block, Receipt } from '../../chain/blocks.ts';
import { createAllowances } from '../allowance.ts';
import type { Facts, Oracle } from '../oracle.ts';
import { Violation } from '../violation.ts';
import type { Ledger } from './ledger.ts';
import { createOwnChannels } from './own-channels.ts';

type Needs = Pick<Facts & Ledger, 'cheatOf' | 'claimOf' | 'firstBlock' | 'honest' | 'machine'> &
  Pick<Facts, 'boundsOf' | 'nameOf' | 'registry' | 'tokenNetwork'> & {
    block(number: bigint): Block | null;
  };
/** In gas: what it spent itself, and what it made others spend in each of its channels. */
type Cheat = {
  spent: bigint;
  caused: Map<string, bigint>;
  calls: Map<string, number>;
};
/** `allowed`: of what it caused. */
export type GasFigures = { gasSpent: number; gasCaused: number; gasAllowed: number };

/** Calls that a partner can make necessary; the others only an owner orders. */
const FORCED: ReadonlySet<string> = new Set([
  'closeChannel',
  'updateNonClosingBalanceProof',
  'settleChannel',
  'unlock',
]);
/** What a channel takes from its close to its last unlock: 160 locks of one side take 725,000 to unlock. */
const END = 2_000_000n;
/** What one cheat may cost besides: about an ordinary channel's end. */
const BASE = 600_000n;
/** So small a part of what a node has put in is worth what an ordinary end takes. */
const WORTH_PART = 1_600n;
/** Registrations that all strangers may force on a node together: so many, and one more after so many blocks. */
const FOR_STRANGERS = 1_600;
const BLOCKS_FOR_ONE_MORE = 60n;

export function createAmplification(needs: Needs) {
  const { honest, cheatOf } = needs;
  const channels = createOwnChannels();
  const cheats = new Map<string, Cheat>();
  /** What each channel has brought a node, in the token's smallest unit, by node and channel. */
  const brought = new Map<string, { in: bigint; out: bigint }>();
  /** What strangers have made each node register. */
  const strangers = createAllowances(BLOCKS_FOR_ONE_MORE);
  let noted = needs.firstBlock - 1n;

  function cheatAt(name: string): Cheat {
    return getOrMake(cheats, name, () => ({ spent: 0n, caused: new Map(), calls: new Map() }));
  }

  function charge(own: Address, channel: string, gas: bigint, call: string) {
    const partner = channels.at(channel)?.sides.find((side) => side !== own);
    const name = partner === undefined ? null : cheatOf(partner);
    if (name === null) return;
    const { caused, calls } = cheatAt(name);
    const key = `${own} ${channel}`;
    caused.set(key, (caused.get(key) ?? 0n) + gas);
    calls.set(call, (calls.get(call) ?? 0) + 1);
  }

  function count({ transaction, run }: Receipt) {
    const { from, to, data, isSetup } = transaction;
    if (isSetup) return;
    const cheat = cheatOf(from);
    if (cheat !== null) cheatAt(cheat).spent += run.gasUsed;
    if (cheat !== null || honest(from) === null) return;
    const call = needs.nameOf(transaction);
    if (FORCED.has(call))
      charge(
        from,
        channelActorId({
          tokenNetwork: to,
          channelId: BigInt(data.slice(0, 2) + data.slice(10, 74)),
        }),
        run.gasUsed,
        call,
      );
  }

  /** Whether the node never wanted a channel with the other side of this one. */
  function isStrangers(own: Address, channel: string): boolean {
    const partner = channels.at(channel)?.sides.find((side) => side !== own);
    if (partner === undefined) return false;
    return !channels.of(own).some((one) => one.sides.includes(partner) && one.wantedBy.has(own));
  }

  function register(who: string, secrethash: Hash) {
    const { strangerRegistrations: most = FOR_STRANGERS } = needs.boundsOf(who);
    const times = strangers.exceeded(who, secrethash, { most, head: noted });
    if (times !== null)
      throw new Violation(36, who, `${who} registers ${times} secrets for strangers`);
  }

  /** Of what a node spent in a channel, what it owed to itself or was paid for, in gas. */
  function allowedIn(key: string, gas: bigint): bigint {
    const [own = '', channel = ''] = key.split(' ');
    const facts = channels.at(channel);
    const owner = facts?.sides.find((side) => side === own);
    if (!facts || owner === undefined) return 0n;
    const isWanted = facts.wantedBy.has(owner);
    const flows = brought.get(key) ?? { in: 0n, out: 0n };
    const gain = larger(0n, flows.in - flows.out);
    const isMoney = channel.includes(needs.tokenNetwork);
    const putIn = channels.putInBy(needs.tokenNetwork, owner);
    // Who has put nothing in and earns everything has only what came in.
    const worth = isMoney ? (gain * WORTH_PART * BASE) / larger(1n, putIn) : 0n;
    const all = worth + (isWanted ? END : 0n);
    return all < gas ? all : gas;
  }

  function figuresOf(name: string): GasFigures {
    const { spent, caused } = cheatAt(name);
    const all = [...caused.values()].reduce((sum, gas) => sum + gas, 0n);
    const allowed = [...caused].reduce((sum, [key, gas]) => sum + allowedIn(key, gas), 0n);
    return {
      gasSpent: Number(spent),
      gasCaused: Number(all),
      gasAllowed: Number(allowed),
    };
  }

  function judge() {
    for (const [name, cheat] of cheats) {
      const { gasSpent, gasCaused, gasAllowed } = figuresOf(name);
      const counted = gasCaused - gasAllowed;
      if (counted <= Number(BASE) || counted <= gasSpent) continue;
      const calls = [...cheat.calls].map(([call, times]) => `${times} ${call}`).join(', ');
      const text = `${name} spends ${gasSpent} gas and makes others spend ${counted}: ${calls}`;
      throw new Violation(36, null, text);
    }
  }

  const oracle: Oracle = {
    commit(who, { proofs }) {
      const own = needs.machine(who)?.address;
      for (const { side, channel, transferredAmount, lockedAmount } of proofs) {
        const key = `${own} ${channel}`;
        const flows = getOrMake(brought, key, () => ({ in: 0n, out: 0n }));
        if (side === 'own') flows.out = transferredAmount;
        else flows.in = larger(flows.in, transferredAmount + lockedAmount);
      }
    },
    submitted(who, { from, to, data }) {
      if (to !== needs.registry) return;
      for (const secrethash of secretsIn(data).map(secrethashOf))
        if (isStrangers(from, needs.claimOf(who, secrethash)?.channel ?? ''))
          register(who, secrethash);
    },
    block({ number, receipts }) {
      for (noted += 1n; noted <= number; noted++) {
        const block = needs.block(noted);
        if (block !== null) channels.note(block);
      }
      noted = number;
      for (const receipt of receipts) count(receipt);
    },
    end: judge,
  };
  return { oracle, channels, figuresOf, names: () => [...cheats.keys()] };
}
