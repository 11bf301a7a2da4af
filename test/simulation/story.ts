/** What one random story of a channel is about: two owners, their keys and secrets, and what they have signed. */
import type { Hex } from 'viem';
import {
  type Address,
  fromHex,
  type Hash,
  type Secret,
  type Signature,
  toHex,
} from '../../src/basics/hex.ts';
import { balanceHash } from '../../src/protocol/channel/balance-proof.ts';
import { type Lock, locksroot } from '../../src/protocol/channel/lock.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { createSigner, type Signer } from '../../src/signer/signer.ts';
import { type BothChains, mirrored, type Sending } from './both-chains.ts';

/** What chance decides about one call; what it means depends on where the channel stands. */
export type Step = {
  /** 0 to 99. */
  pick: number;
  side: 0 | 1;
  amount: bigint;
  other: bigint;
  /** What is wrong with it, most often nothing. */
  twist: Twist;
};
export type Twist = (typeof TWISTS)[number];
export const TWISTS = [
  'none',
  'id',
  'signature',
  'stranger',
  'cut',
  'swapped',
  'mirrored',
  'v',
  'stale',
  'nothing',
  'late',
  'network',
  'calldata',
] as const;

/** What one side has sent, as a balance proof has it. */
export type Sent = { transferred: bigint; locked: bigint; locks: readonly Lock[]; nonce: bigint };

export const NOTHING: Sent = { transferred: 0n, locked: 0n, locks: [], nonce: 0n };
export const ADDITIONAL: Hash = `0x${'07'.repeat(32)}`;
let keys = 0;

/** A key that no story has used: what happened before does not matter to it. */
function newSigner(): Signer {
  keys += 1;
  return createSigner(Buffer.from((keys + 2 ** 32).toString(16).padStart(64, '0'), 'hex'));
}

function newSecret(): Secret {
  keys += 1;
  return toHex(Buffer.from(keys.toString(16).padStart(64, 'e'), 'hex'));
}

export type Story = ReturnType<typeof createStory>;

/** `payer`: an account of the chain, which sends the calls of this story. */
export function createStory(both: BothChains, payer: Address, place: 0 | 1) {
  const signers = [newSigner(), newSigner(), newSigner()] as const;
  const secrets = [newSecret(), newSecret(), newSecret(), newSecret()];
  const { model } = both;
  const token = both.networks[place];
  const elsewhere = both.networks[1 - place];
  if (token === undefined || elsewhere === undefined) throw new Error('two networks');
  const network = token.network;
  const chainId = BigInt(model.chainId);
  const sent: [Sent[], Sent[]] = [[], []];
  let nonce = 0n;
  let id = 0n;

  const head = () => model.head().number;
  const sideOf = (step: Step) => signers[step.side];
  const partnerOf = (step: Step) => signers[step.side === 0 ? 1 : 0];
  const call = (data: Hex, to: Address = network): Sending => ({ from: payer, to, data });

  /** The newest channel of the two; of the one before when there is none. */
  function currentId(step: Step): bigint {
    const found = model.channelId(network, [signers[0].address, signers[1].address]);
    if (found > 0n) id = found;
    return step.twist === 'id' ? id + 1n : id;
  }

  function signatureOf(signer: Signer, digest: Uint8Array, twist: Twist): Signature {
    const by = twist === 'stranger' ? signers[2] : signer;
    const bytes = fromHex(by.sign(digest));
    if (twist === 'signature') bytes[10] = (bytes[10] ?? 0) ^ 1;
    if (twist === 'v') bytes[64] = (bytes[64] ?? 0) - (bytes[10] === 0 ? 1 : 27);
    if (twist === 'late') bytes[64] = 29;
    if (twist === 'mirrored') return toHex(mirrored(bytes));
    return toHex(twist === 'cut' ? bytes.subarray(0, 64) : bytes);
  }

  /** Another balance proof of this side. */
  function send(side: 0 | 1, { amount, other, pick }: Step): Sent {
    nonce += 1n;
    const count = pick % 4;
    const locks = secrets.slice(0, count).map((secret, at): Lock => {
      const secrethash = secrethashOf(secret);
      // Often just when a known secret came, a block before it or after it.
      const known = model.secretBlock(secrethash);
      const expiration =
        known === null ? head() + BigInt((pick * (at + 3)) % 30) : known + BigInt(pick % 3) - 1n;
      return { amount: other + BigInt(at), expiration, secrethash };
    });
    const sum = locks.reduce((total, lock) => total + lock.amount, 0n);
    // Not always what the locks add up to.
    const locked = pick % 11 === 0 && sum > 0n ? sum - 1n : sum;
    const made = { transferred: amount, locked, locks, nonce };
    sent[side].push(made);
    return made;
  }

  const hashOf = ({ transferred, locked, locks }: Sent): Hash =>
    balanceHash({
      transferredAmount: transferred,
      lockedAmount: locked,
      locksroot: locksroot(locks),
    });

  function proofOf(step: Step, made: Sent) {
    const stale = step.twist === 'stale' ? made.nonce - 1n : made.nonce;
    const proof = { balanceHash: hashOf(made), nonce: stale, additionalHash: ADDITIONAL };
    const where = step.twist === 'network' ? elsewhere?.network : network;
    const place = { chainId, tokenNetwork: where ?? network, channelId: currentId(step) };
    return { ...proof, ...place };
  }

  /** The channel as the model has it. */
  const facts = (step: Step) => model.channel(network, currentId({ ...step, twist: 'none' }));

  /** What the contract holds of this side, as far as this story knows it. */
  function committed(step: Step, side: 0 | 1): Sent {
    const stored = facts(step)?.sides.find(({ address }) => address === signers[side].address);
    const found = sent[side].find((one) => {
      const isStored = stored?.nonce !== 0n && hashOf(one) === stored?.balanceHash;
      return isStored || locksroot(one.locks) === stored?.locksroot;
    });
    return found ?? NOTHING;
  }

  return {
    both,
    payer,
    signers,
    secrets,
    token: token.address,
    network,
    chainId,
    sent,
    head,
    sideOf,
    partnerOf,
    call,
    currentId,
    signatureOf,
    send,
    hashOf,
    proofOf,
    facts,
    committed,
  };
}
