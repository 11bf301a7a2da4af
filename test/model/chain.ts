/**
 * A chain with one token network, one channel and the secret registry, after the rules of protocol 5.1,
 * 5.3 and 5.4. Transactions wait in a pool, are mined after some blocks, and may revert.
 */
import type { PartnerProof } from '../../machines/effects.ts';
import type { ChainLog } from '../../machines/events.ts';
import {
  type Balances,
  balanceHash,
  balanceProofDigest,
} from '../../src/protocol/balance-proof.ts';
import type { PendingWithdraw } from '../../src/protocol/channel-end.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import {
  type Address,
  type Hash,
  type Secret,
  type Signature,
  ZERO_HASH,
} from '../../src/protocol/hex.ts';
import { type Lock, locksroot, NO_LOCKS_ROOT } from '../../src/protocol/lock.ts';
import { isSettleOrder, type SettledSide, settle } from '../../src/protocol/settlement.ts';
import { withdrawDigest } from '../../src/protocol/withdraw.ts';
import { recoverHex } from './crypto.ts';

export const CHAIN_ID = 31_337n;
export const TOKEN: Address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0';
export const NETWORK: Address = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512';
export const CHANNEL_ID = 1n;
const ON_CHANNEL = { tokenNetwork: NETWORK, channelId: CHANNEL_ID };

/** What a transaction does once it is mined. */
export type Call =
  | { type: 'deposit'; totalDeposit: bigint }
  | ({ type: 'withdraw'; partnerSignature: Signature } & PendingWithdraw)
  | { type: 'close'; proof: PartnerProof | null }
  | { type: 'update'; proof: PartnerProof }
  | { type: 'settle'; own: Balances; partner: Balances }
  | { type: 'unlock'; sender: Address; receiver: Address; locks: readonly Lock[] }
  | { type: 'registerSecret'; secret: Secret };
export type Outcome = { ok: true; minedBlock: bigint; transactionHash: Hash } | { ok: false };
type Waiting = { from: Address; call: Call; dueBlock: bigint; isDoomed: boolean };
type Ticket = Waiting & { outcome: Outcome | null };
export type Chain = ReturnType<typeof createChain>;

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

export function createChain(options: {
  owners: readonly [Address, Address];
  wealth: bigint;
  settleTimeout: bigint;
}) {
  const { owners, wealth, settleTimeout } = options;
  const wallets = new Map<Address, bigint>(owners.map((owner) => [owner, wealth]));
  const sides = owners.map((address) => newSide(address));
  const secrets = new Map<Hash, bigint>();
  const logs: ChainLog[] = [];
  const tickets = new Map<string, Ticket>();
  let head = 0n;
  let held = 0n;
  let state: 'opened' | 'closed' | 'settled' = 'opened';
  let closing = { closer: owners[0], block: 0n };

  const hashNow = (): Hash => `0x${head.toString(16).padStart(64, '0')}`;
  function here() {
    const logIndex = logs.filter(({ at }) => at.block === head).length;
    return { at: { block: head, logIndex, transactionHash: hashNow() } };
  }

  function sideOf(address: Address): Side {
    const side = sides.find((candidate) => candidate.address === address);
    return must(side, 'a stranger');
  }
  const otherOf = (address: Address): Side =>
    must(
      sides.find((side) => side.address !== address),
      'nobody',
    );

  function pay(to: Address, amount: bigint) {
    wallets.set(to, (wallets.get(to) ?? 0n) + amount);
    held -= amount;
  }

  function bring(proof: PartnerProof | null, signer: Side) {
    if (proof === null) return;
    const { nonce, balanceHash, additionalHash } = proof;
    const digest = balanceProofDigest({
      chainId: CHAIN_ID,
      ...ON_CHANNEL,
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
    demand((wallets.get(from) ?? 0n) >= added, 'tokens');
    pay(from, -added);
    side.deposit = totalDeposit;
    const facts = { participant: from, totalDeposit };
    logs.push({ type: 'chain.channelDeposit', ...ON_CHANNEL, ...here(), ...facts });
  }

  /** The sender's own consent is in its sending. */
  function withdraw(from: Address, call: Extract<Call, { type: 'withdraw' }>) {
    const { totalWithdraw, expiration, partnerSignature } = call;
    const [side, other] = [sideOf(from), otherOf(from)];
    const consent = { chainId: CHAIN_ID, ...ON_CHANNEL, participant: from };
    const digest = withdrawDigest({ ...consent, totalWithdraw, expiration });
    demand(state === 'opened' && head < expiration, 'expired');
    demand(recoverHex(digest, partnerSignature) === other.address, 'partner signature');
    demand(totalWithdraw > side.withdrawn, 'amount is zero');
    demand(totalWithdraw + other.withdrawn <= side.deposit + other.deposit, 'withdraw > deposit');
    pay(from, totalWithdraw - side.withdrawn);
    side.withdrawn = totalWithdraw;
    const facts = { participant: from, totalWithdraw };
    logs.push({ type: 'chain.channelWithdraw', ...ON_CHANNEL, ...here(), ...facts });
  }

  function close(from: Address, proof: PartnerProof | null) {
    demand(state === 'opened', 'not open');
    const partner = otherOf(from);
    bring(proof, partner);
    state = 'closed';
    closing = { closer: from, block: head };
    const { nonce, hash } = partner;
    const facts = { closer: from, nonce, balanceHash: hash ?? ZERO_HASH };
    logs.push({ type: 'chain.channelClosed', ...ON_CHANNEL, ...here(), ...facts });
  }

  function update(from: Address, proof: PartnerProof) {
    demand(state === 'closed' && closing.closer !== from, 'not for the closer');
    demand(proof.balanceHash !== ZERO_HASH && proof.nonce > 0n, 'empty proof');
    const { closer } = closing;
    const side = sideOf(closer);
    bring(proof, side);
    const { nonce, hash } = side;
    const facts = { closer, nonce, balanceHash: hash ?? ZERO_HASH };
    logs.push({ type: 'chain.proofUpdated', ...ON_CHANNEL, ...here(), ...facts });
  }

  function settleChannel(from: Address, own: Balances, partner: Balances) {
    demand(state === 'closed' && head > closing.block + settleTimeout, 'too early');
    const given = [sideIn(sideOf(from), own), sideIn(otherOf(from), partner)];
    const [one, two] = given.toSorted((a, b) => (isSettleOrder(a.terms, b.terms) ? -1 : 1));
    if (one === undefined || two === undefined) throw new Error('chain: two sides');
    const shares = settle(one.terms, two.terms);
    one.side.left = { locked: shares.locked1, locksroot: one.locksroot };
    two.side.left = { locked: shares.locked2, locksroot: two.locksroot };
    pay(one.side.address, shares.amount1);
    pay(two.side.address, shares.amount2);
    state = 'settled';
    logs.push({
      type: 'chain.channelSettled',
      ...ON_CHANNEL,
      ...here(),
      participant1: one.side.address,
      amount1: shares.amount1,
      locksroot1: one.locksroot,
      participant2: two.side.address,
      amount2: shares.amount2,
      locksroot2: two.locksroot,
    });
  }

  function unlock({ sender, receiver, locks }: Extract<Call, { type: 'unlock' }>) {
    const { left } = sideOf(sender);
    demand(state === 'settled' && left.locked > 0n, 'nothing locked');
    demand(locksroot([...locks]) === left.locksroot, 'locksroot');
    const isPaid = ({ secrethash, expiration }: Lock) => {
      const revealed = secrets.get(secrethash);
      return revealed !== undefined && revealed < expiration;
    };
    const sum = locks.filter(isPaid).reduce((total, { amount }) => total + amount, 0n);
    const unlockedAmount = sum < left.locked ? sum : left.locked;
    const returnedTokens = left.locked - unlockedAmount;
    sideOf(sender).left = { locked: 0n, locksroot: NO_LOCKS_ROOT };
    pay(receiver, unlockedAmount);
    pay(sender, returnedTokens);
    const amounts = { locksroot: left.locksroot, unlockedAmount, returnedTokens };
    const facts = { ...here(), receiver, sender, ...amounts };
    logs.push({ type: 'chain.channelUnlocked', ...ON_CHANNEL, ...facts });
  }

  function registerSecret(secret: Secret) {
    const secrethash = secrethashOf(secret);
    if (secrets.has(secrethash)) return;
    secrets.set(secrethash, head);
    logs.push({ type: 'chain.secretRevealed', secrethash, secret, ...here() });
  }

  function execute({ from, call }: Waiting) {
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
      case 'registerSecret':
        return registerSecret(call.secret);
    }
  }

  function outcomeOf(ticket: Ticket): Outcome {
    if (ticket.isDoomed) return { ok: false };
    try {
      execute(ticket);
      return { ok: true, minedBlock: head, transactionHash: hashNow() };
    } catch (error) {
      if (error instanceof Revert) return { ok: false };
      throw error;
    }
  }

  /** The tokens' network and the channel in it. */
  function begin() {
    head = 1n;
    logs.push({
      type: 'chain.tokenNetworkCreated',
      token: TOKEN,
      tokenNetwork: NETWORK,
      ...here(),
    });
    const [participant1, participant2] = owners;
    const facts = { participant1, participant2, settleTimeout };
    logs.push({ type: 'chain.channelOpened', ...ON_CHANNEL, ...here(), ...facts });
  }
  begin();

  return {
    /** The same key twice is one transaction. `delay`: blocks until it is mined, at least 1. */
    submit(key: string, waiting: Omit<Waiting, 'dueBlock'> & { delay: bigint }) {
      if (tickets.has(key)) return;
      const { delay, ...rest } = waiting;
      tickets.set(key, { ...rest, dueBlock: head + delay, outcome: null });
    },
    outcomeOf: (key: string): Outcome | null => tickets.get(key)?.outcome ?? null,
    mine() {
      head += 1n;
      for (const ticket of tickets.values())
        if (ticket.outcome === null && ticket.dueBlock <= head) ticket.outcome = outcomeOf(ticket);
    },
    head: () => head,
    hash: hashNow,
    logsIn: (fromBlock: bigint, toBlock: bigint) =>
      logs.filter(({ at }) => at.block >= fromBlock && at.block <= toBlock),
    wealthOf: (owner: Address) => wallets.get(owner) ?? 0n,
    held: () => held,
    state: () => state,
    depositOf: (owner: Address) => sideOf(owner).deposit,
    withdrawnOf: (owner: Address) => sideOf(owner).withdrawn,
    revealBlock: (secrethash: Hash) => secrets.get(secrethash) ?? null,
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

class Revert extends Error {}

function demand(condition: boolean, why: string): void {
  if (!condition) throw new Revert(why);
}

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`chain: ${what}`);
  return value;
}
