/** Opening a channel, depositing, and taking out what both have agreed on. */
import { encodeFunctionData } from 'viem';
import { addSaturating } from '../../src/basics/amount.ts';
import { ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { withdrawDigest } from '../../src/protocol/channel/withdraw.ts';
import type { Signer } from '../../src/signer/signer.ts';
import type { Sending } from './both-chains.ts';
import type { Step, Story } from './story.ts';

export function channelCalls(story: Story) {
  const { chainId, network, signers, head, sideOf, partnerOf, call, currentId } = story;
  const { signatureOf } = story;

  const open = (step: Step): Sending => {
    const timeout = step.pick % 9 === 0 ? 9n : step.pick % 13 === 0 ? 100_001n : 10n + step.other;
    const two = step.twist === 'swapped' ? sideOf(step).address : partnerOf(step).address;
    const pair = [sideOf(step).address, step.twist === 'nothing' ? ZERO_ADDRESS : two] as const;
    const abi = tokenNetworkAbi;
    if (step.pick % 3 === 0)
      return call(
        encodeFunctionData({ abi, functionName: 'openChannel', args: [...pair, timeout] }),
      );
    const args = [...pair, timeout, step.amount] as const;
    return call(encodeFunctionData({ abi, functionName: 'openChannelWithDeposit', args }));
  };

  const deposit = (step: Step): Sending => {
    const [owner, partner] = [sideOf(step).address, partnerOf(step).address];
    const facts = story.facts(step);
    const now = facts?.sides.find(({ address }) => address === owner)?.deposit ?? 0n;
    const total = step.twist === 'stale' ? step.amount : addSaturating(now, step.amount);
    const other = step.twist === 'stranger' ? signers[2].address : partner;
    const args = [currentId(step), owner, total, other] as const;
    return call(
      encodeFunctionData({ abi: tokenNetworkAbi, functionName: 'setTotalDeposit', args }),
    );
  };

  /** What both sides agree that one of them takes out. */
  function consent(step: Step, owner: Signer, partner: Signer, total: bigint) {
    const expiration = head() + (step.twist === 'late' ? 1n : 2n + (step.other % 5n));
    const place = { chainId, tokenNetwork: network, channelId: currentId(step) };
    const withdrawal = { ...place, participant: owner.address, totalWithdraw: total, expiration };
    const digest = withdrawDigest(withdrawal);
    const twist = step.twist === 'late' ? 'none' : step.twist;
    const [own, other] =
      step.pick % 2 === 0 ? ([twist, 'none'] as const) : (['none', twist] as const);
    return {
      participant: owner.address,
      total_withdraw: total,
      expiration_block: expiration,
      participant_signature: signatureOf(owner, digest, own),
      partner_signature: signatureOf(step.twist === 'swapped' ? owner : partner, digest, other),
    };
  }

  const withdraw = (step: Step): Sending => {
    const owner = sideOf(step);
    const facts = story.facts(step);
    const now = facts?.sides.find(({ address }) => address === owner.address)?.withdrawn ?? 0n;
    const total = step.twist === 'stale' ? step.amount : addSaturating(now, step.amount);
    const signed = consent(step, owner, partnerOf(step), total);
    const abi = tokenNetworkAbi;
    const channel = currentId(step);
    if (step.pick % 3 === 0)
      return call(
        encodeFunctionData({ abi, functionName: 'setTotalWithdraw2', args: [channel, signed] }),
      );
    const { participant, expiration_block, participant_signature, partner_signature } = signed;
    const signatures = [participant_signature, partner_signature] as const;
    const args = [channel, participant, total, expiration_block, ...signatures] as const;
    return call(encodeFunctionData({ abi, functionName: 'setTotalWithdraw', args }));
  };

  const settleTogether = (step: Step): Sending => {
    const [one, two] = [sideOf(step), partnerOf(step)];
    const facts = story.facts(step);
    const [first, second] = facts?.sides ?? [];
    const sum = (first?.deposit ?? 0n) + (second?.deposit ?? 0n);
    const total1 = step.pick % 5 === 0 ? sum : step.amount < sum ? step.amount : sum / 2n;
    const total2 = step.twist === 'stale' ? step.other : sum - total1;
    const data1 = consent(step, one, two, total1);
    const data2 = consent({ ...step, twist: 'none' }, two, one, total2);
    const args = [currentId(step), data1, data2] as const;
    const abi = tokenNetworkAbi;
    return call(encodeFunctionData({ abi, functionName: 'cooperativeSettle', args }));
  };

  return { open, deposit, withdraw, settleTogether };
}
