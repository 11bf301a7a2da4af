/** Closing a channel, answering that, dividing what is in it, and unlocking what was pending. */
import { encodeFunctionData, type Hex } from 'viem';
import { addSaturating } from '../../src/basics/amount.ts';
import { toHex, ZERO_HASH } from '../../src/basics/hex.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import {
  balanceProofDigest,
  closingDigest,
  EMPTY_SIGNATURE,
  updateDigest,
} from '../../src/protocol/channel/balance-proof.ts';
import { encodeLocks, locksroot, NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import type { Sending } from './both-chains.ts';
import { NOTHING, type Step, type Story } from './story.ts';

export function disputeCalls(story: Story) {
  const { signers, sideOf, partnerOf, call, currentId } = story;
  const { signatureOf, send, sent, proofOf, committed } = story;

  const close = (step: Step): Sending => {
    const [closer, partner] = [sideOf(step), partnerOf(step)];
    const isEmpty = step.pick % 4 === 0;
    const made = isEmpty ? NOTHING : send(step.side === 0 ? 1 : 0, step);
    const proof = isEmpty
      ? { ...proofOf(step, NOTHING), additionalHash: ZERO_HASH, nonce: 0n }
      : proofOf(step, made);
    const half = step.pick % 2 === 0;
    const signature = isEmpty
      ? EMPTY_SIGNATURE
      : signatureOf(partner, balanceProofDigest(proof), half ? step.twist : 'none');
    const digest = closingDigest(proof, signature.length === 132 ? signature : EMPTY_SIGNATURE);
    const counter = signatureOf(closer, digest, half ? 'none' : step.twist);
    const sides =
      step.twist === 'swapped'
        ? ([closer.address, partner.address] as const)
        : ([partner.address, closer.address] as const);
    const { nonce: number, additionalHash } = proof;
    const args = [currentId(step), ...sides, proof.balanceHash, number, additionalHash] as const;
    const all = [...args, signature, counter] as const;
    const abi = tokenNetworkAbi;
    return call(encodeFunctionData({ abi, functionName: 'closeChannel', args: all }));
  };

  /** The evidence for an update of what the closer has sent, signed by both. */
  function evidence(step: Step) {
    const facts = story.facts(step);
    const isFirst = facts?.sides.find((side) => side.isCloser)?.address === signers[0].address;
    const side = step.twist === 'swapped' ? (isFirst ? 1 : 0) : isFirst ? 0 : 1;
    const [closer, other] = side === 0 ? [signers[0], signers[1]] : [signers[1], signers[0]];
    const last = sent[side].at(-1);
    const made = step.pick % 6 === 0 && last !== undefined ? last : send(side, step);
    const proof = proofOf(
      step,
      step.twist === 'nothing' ? { ...NOTHING, nonce: made.nonce } : made,
    );
    const half = step.pick % 2 === 0;
    const signature = signatureOf(closer, balanceProofDigest(proof), half ? step.twist : 'none');
    const digest = updateDigest(proof, signature.length === 132 ? signature : EMPTY_SIGNATURE);
    const counter = signatureOf(other, digest, half ? 'none' : step.twist);
    return { closer, other, proof, signature, counter };
  }

  const update = (step: Step): Sending => {
    const { closer, other, proof, signature, counter } = evidence(step);
    const sides = [closer.address, other.address] as const;
    const { balanceHash: hash, nonce: number, additionalHash } = proof;
    const args = [currentId(step), ...sides, hash, number, additionalHash] as const;
    const all = [...args, signature, counter] as const;
    const abi = tokenNetworkAbi;
    const functionName = 'updateNonClosingBalanceProof';
    return call(encodeFunctionData({ abi, functionName, args: all }));
  };

  const settle = (step: Step): Sending => {
    const ends = ([0, 1] as const).map((side) => {
      const end = step.twist === 'stale' ? (sent[side][0] ?? NOTHING) : committed(step, side);
      const more = step.twist === 'signature' ? 1n : 0n;
      const transferred_amount = addSaturating(end.transferred, more);
      const locks = step.twist === 'nothing' ? [] : end.locks;
      return {
        participant: signers[side].address,
        transferred_amount,
        locked_amount: end.locked,
        locksroot: locks.length === 0 ? NO_LOCKS_ROOT : locksroot(locks),
        claim: addSaturating(transferred_amount, end.locked),
      };
    });
    const sorted = ends.toSorted((a, b) => (a.claim < b.claim ? -1 : a.claim > b.claim ? 1 : 0));
    const [one, two] = step.twist === 'swapped' ? sorted.toReversed() : sorted;
    if (one === undefined || two === undefined) throw new Error('two ends');
    const abi = tokenNetworkAbi;
    const channel = currentId(step);
    if (step.pick % 2 === 0) {
      const args = [channel, one, two] as const;
      return call(encodeFunctionData({ abi, functionName: 'settleChannel2', args }));
    }
    const flat = (end: typeof one) =>
      [end.participant, end.transferred_amount, end.locked_amount, end.locksroot] as const;
    const args = [channel, ...flat(one), ...flat(two)] as const;
    return call(encodeFunctionData({ abi, functionName: 'settleChannel', args }));
  };

  const unlock = (step: Step): Sending => {
    const { locks } = committed(step, step.side);
    const given = step.twist === 'swapped' ? locks.toReversed() : locks;
    const packed = toHex(encodeLocks(given));
    const args = [
      currentId(step),
      partnerOf(step).address,
      step.twist === 'stranger' ? partnerOf(step).address : sideOf(step).address,
      step.twist === 'cut' ? packed.slice(0, -2) : packed,
    ] as const;
    const [channel, receiver, sender, bytes] = args;
    const data: Hex = `0x${bytes.slice(2)}`;
    const all = [channel, receiver, sender, data] as const;
    const abi = tokenNetworkAbi;
    return call(encodeFunctionData({ abi, functionName: 'unlock', args: all }));
  };

  return { close, evidence, update, settle, unlock };
}
