/**
 * One channel in the contract of its token network, after the rules of protocol 5.3 and 5.4. What it does,
 * it does at once; the chain decides when.
 */

import type { ChainLog, ChannelLog } from '../../machines/chain-events.ts';
import type { PartnerProof } from '../../machines/effects.ts';
import {
  type Balances,
  balanceHash,
  balanceProofDigest,
} from '../../src/protocol/balance-proof.ts';
import type { PendingWithdraw } from '../../src/protocol/channel-end.ts';
import { type Address, type Hash, type Signature, ZERO_HASH } from '../../src/protocol/hex.ts';
import { type Lock, locksroot, NO_LOCKS_ROOT } from '../../src/protocol/lock.ts';
import { isSettleOrder, type SettledSide, settle } from '../../src/protocol/settlement.ts';
import { withdrawDigest } from '../../src/protocol/withdraw.ts';
import { recoverHex } from './crypto.ts';

export const CHAIN_ID = 31_337n;
export const TOKEN: Address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0';
export const NETWORK: Address = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512';

/** What somebody does with a channel once the transaction is mined. */
export type ChannelCall =
  | { type: 'deposit'; totalDeposit: bigint }
  | ({ type: 'withdraw'; partnerSignature: Signature } & PendingWithdraw)
  | { type: 'close'; proof: PartnerProof | null }
  | { type: 'update'; proof: PartnerProof }
  | { type: 'settle'; own: Balances; partner: Balances }
  | { type: 'unlock'; sender: Address; receiver: Address; locks: readonly Lock[] };
export type Contract = ReturnType<typeof createContract>;

/** What all channels of the chain have in common. */
export type Ledger = {
  head(): bigint;
  /** The place of the next log. */
  here(): Pick<ChannelLog, 'at'>;
  log(log: ChainLog): void;
  /** Out of the contract; less than nothing into it. */
  pay(to: Address, amount: bigint): void;
  wealthOf(owner: Address): bigint;
  revealBlock(secrethash: Hash): bigint | null;
};

type Side = {
  address: Address;
  deposit: bigint;
  withdrawn: bigint;
  /** Of the balance proof that was brought, signed by this side. */
  nonce: bigint;
  hash: Hash | null;
  /** After the settlement: what waits for an unlock of this side's locks. */
  left: { locked: bigint; locksroot: Hash };
};

export function createContract(
  ledger: Ledger,
  given: { channelId: bigint; owners: readonly [Address, Address]; settleTimeout: bigint },
) {
  const { owners, settleTimeout, channelId } = given;
  const { here, log, pay, head } = ledger;
  const place = { tokenNetwork: NETWORK, channelId };
  const sides = owners.map((address) => newSide(address));
  let state: 'opened' | 'closed' | 'settled' = 'opened';
  let closing = { closer: owners[0], block: 0n };

  function sideOf(address: Address): Side {
    const side = sides.find((candidate) => candidate.address === address);
    return must(side, 'a stranger');
  }
  const otherOf = (address: Address): Side =>
    must(
      sides.find((side) => side.address !== address),
      'nobody',
    );

  function bring(proof: PartnerProof | null, signer: Side) {
    if (proof === null) return;
    const { nonce, balanceHash, additionalHash } = proof;
    const digest = balanceProofDigest({
      chainId: CHAIN_ID,
      ...place,
      nonce,
      balanceHash,
      additionalHash,
    });
    demand(recoverHex(digest, proof.signature) === signer.address, 'signature');
    demand(nonce > signer.nonce, 'nonce reused');
    signer.nonce = nonce;
    signer.hash = balanceHash === ZERO_HASH ? null : balanceHash;
  }

  function deposit(from: Address, totalDeposit: bigint) {
    const side = sideOf(from);
    demand(state === 'opened' && totalDeposit > side.deposit, 'deposit');
    const added = totalDeposit - side.deposit;
    demand(ledger.wealthOf(from) >= added, 'tokens');
    pay(from, -added);
    side.deposit = totalDeposit;
    const facts = { participant: from, totalDeposit };
    log({ type: 'chain.channelDeposit', ...place, ...here(), ...facts });
  }

  /** The sender's own consent is in its sending. */
  function withdraw(from: Address, call: Extract<ChannelCall, { type: 'withdraw' }>) {
    const { totalWithdraw, expiration, partnerSignature } = call;
    const [side, other] = [sideOf(from), otherOf(from)];
    const consent = { chainId: CHAIN_ID, ...place, participant: from };
    const digest = withdrawDigest({ ...consent, totalWithdraw, expiration });
    demand(state === 'opened' && head() < expiration, 'expired');
    demand(recoverHex(digest, partnerSignature) === other.address, 'partner signature');
    demand(totalWithdraw > side.withdrawn, 'amount is zero');
    demand(totalWithdraw + other.withdrawn <= side.deposit + other.deposit, 'withdraw > deposit');
    pay(from, totalWithdraw - side.withdrawn);
    side.withdrawn = totalWithdraw;
    const facts = { participant: from, totalWithdraw };
    log({ type: 'chain.channelWithdraw', ...place, ...here(), ...facts });
  }

  function close(from: Address, proof: PartnerProof | null) {
    demand(state === 'opened', 'not open');
    const partner = otherOf(from);
    bring(proof, partner);
    state = 'closed';
    closing = { closer: from, block: head() };
    const { nonce, hash } = partner;
    const facts = { closer: from, nonce, balanceHash: hash ?? ZERO_HASH };
    log({ type: 'chain.channelClosed', ...place, ...here(), ...facts });
  }

  function update(from: Address, proof: PartnerProof) {
    demand(state === 'closed' && closing.closer !== from, 'not for the closer');
    demand(proof.balanceHash !== ZERO_HASH && proof.nonce > 0n, 'empty proof');
    const { closer } = closing;
    const side = sideOf(closer);
    bring(proof, side);
    const { nonce, hash } = side;
    const facts = { closer, nonce, balanceHash: hash ?? ZERO_HASH };
    log({ type: 'chain.proofUpdated', ...place, ...here(), ...facts });
  }

  function settleChannel(from: Address, own: Balances, partner: Balances) {
    demand(state === 'closed' && head() > closing.block + settleTimeout, 'too early');
    const given = [sideIn(sideOf(from), own), sideIn(otherOf(from), partner)];
    const [one, two] = given.toSorted((a, b) => (isSettleOrder(a.terms, b.terms) ? -1 : 1));
    if (one === undefined || two === undefined) throw new Error('chain: two sides');
    const shares = settle(one.terms, two.terms);
    one.side.left = { locked: shares.locked1, locksroot: one.locksroot };
    two.side.left = { locked: shares.locked2, locksroot: two.locksroot };
    pay(one.side.address, shares.amount1);
    pay(two.side.address, shares.amount2);
    state = 'settled';
    log({
      type: 'chain.channelSettled',
      ...place,
      ...here(),
      participant1: one.side.address,
      amount1: shares.amount1,
      locksroot1: one.locksroot,
      participant2: two.side.address,
      amount2: shares.amount2,
      locksroot2: two.locksroot,
    });
  }

  function unlock({ sender, receiver, locks }: Extract<ChannelCall, { type: 'unlock' }>) {
    const { left } = sideOf(sender);
    demand(state === 'settled' && left.locked > 0n, 'nothing locked');
    demand(locksroot([...locks]) === left.locksroot, 'locksroot');
    const isPaid = ({ secrethash, expiration }: Lock) => {
      const revealed = ledger.revealBlock(secrethash);
      return revealed !== null && revealed < expiration;
    };
    const sum = locks.filter(isPaid).reduce((total, { amount }) => total + amount, 0n);
    const unlockedAmount = sum < left.locked ? sum : left.locked;
    const returnedTokens = left.locked - unlockedAmount;
    sideOf(sender).left = { locked: 0n, locksroot: NO_LOCKS_ROOT };
    pay(receiver, unlockedAmount);
    pay(sender, returnedTokens);
    const amounts = { locksroot: left.locksroot, unlockedAmount, returnedTokens };
    const facts = { ...here(), receiver, sender, ...amounts };
    log({ type: 'chain.channelUnlocked', ...place, ...facts });
  }

  const [participant1, participant2] = owners;
  const facts = { participant1, participant2, settleTimeout };
  log({ type: 'chain.channelOpened', ...place, ...here(), ...facts });

  return {
    owners,
    /** Throws `Revert`. */
    execute(from: Address, call: ChannelCall) {
      switch (call.type) {
        case 'deposit':
          return deposit(from, call.totalDeposit);
        case 'withdraw':
          return withdraw(from, call);
        case 'close':
          return close(from, call.proof);
        case 'update':
          return update(from, call.proof);
        case 'settle':
          return settleChannel(from, call.own, call.partner);
        case 'unlock':
          return unlock(call);
      }
    },
    state: () => state,
    depositOf: (owner: Address) => sideOf(owner).deposit,
    withdrawnOf: (owner: Address) => sideOf(owner).withdrawn,
  };
}

function newSide(address: Address): Side {
  const left = { locked: 0n, locksroot: NO_LOCKS_ROOT };
  return { address, deposit: 0n, withdrawn: 0n, nonce: 0n, hash: null, left };
}

/** The preimages must be those of the hash that stands on chain; without one they must be nothing. */
function sideIn(side: Side, given: Balances) {
  const hash = balanceHash(given);
  demand(hash === (side.hash ?? ZERO_HASH), 'invalid data');
  const { transferredAmount: transferred, lockedAmount: locked } = given;
  const { deposit, withdrawn } = side;
  const terms: SettledSide = { deposit, withdrawn, transferred, locked };
  return { side, terms, locksroot: given.locksroot };
}

export class Revert extends Error {}

function demand(condition: boolean, why: string): void {
  if (!condition) throw new Revert(why);
}

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`contract: ${what}`);
  return value;
}
