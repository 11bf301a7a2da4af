/** User deposits, registrations of services, and what services are paid with. */
import { encodeFunctionData, type Hex } from 'viem';
import { addSaturating } from '../../src/basics/amount.ts';
import { fromHex, type Signature, toHex, ZERO_ADDRESS } from '../../src/basics/hex.ts';
import { monitoringServiceAbi } from '../../src/contracts/generated/MonitoringService.ts';
import { oneToNAbi } from '../../src/contracts/generated/OneToN.ts';
import { serviceRegistryAbi } from '../../src/contracts/generated/ServiceRegistry.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { iouDigest } from '../../src/protocol/services/iou.ts';
import { rewardProofDigest } from '../../src/protocol/services/reward-proof.ts';
import type { Sending } from './both-chains.ts';
import type { disputeCalls } from './dispute-calls.ts';
import type { Step, Story } from './story.ts';

type Evidence = ReturnType<typeof disputeCalls>['evidence'];

export function serviceCalls(story: Story, evidence: Evidence) {
  const { both, payer, signers, network, chainId, head, sideOf, partnerOf, call } = story;
  const { signatureOf, currentId } = story;
  const { contracts, model } = both;
  const { userDepositAddress, serviceRegistryAddress } = contracts;
  const { monitoringServiceAddress, oneToNAddress } = contracts;

  const deposit = (step: Step): Sending => {
    const owner = [payer, signers[0].address, signers[1].address][step.pick % 3] ?? payer;
    const abi = userDepositAbi;
    const now = answer(userDepositAddress, 'total_deposit', owner);
    const total = step.twist === 'stale' ? step.amount : addSaturating(now, step.amount);
    const data = encodeFunctionData({ abi, functionName: 'deposit', args: [owner, total] });
    return call(data, userDepositAddress);
  };
  const plan = ({ amount }: Step): Sending => {
    const abi = userDepositAbi;
    const data = encodeFunctionData({ abi, functionName: 'planWithdraw', args: [amount] });
    return call(data, userDepositAddress);
  };
  const takeOut = (step: Step): Sending => {
    const abi = userDepositAbi;
    const { amount, pick } = step;
    const to = step.twist === 'nothing' ? ZERO_ADDRESS : signers[1].address;
    const data =
      pick % 2 === 0
        ? encodeFunctionData({ abi, functionName: 'withdraw', args: [amount] })
        : encodeFunctionData({ abi, functionName: 'withdrawToBeneficiary', args: [amount, to] });
    return call(data, userDepositAddress);
  };
  const transfer = ({ amount }: Step): Sending => {
    const args = [payer, signers[0].address, amount] as const;
    const data = encodeFunctionData({ abi: userDepositAbi, functionName: 'transfer', args });
    return call(data, userDepositAddress);
  };

  const register = (step: Step): Sending => {
    const abi = serviceRegistryAbi;
    const limit = step.twist === 'late' ? step.amount : 2n ** 100n;
    const data = encodeFunctionData({ abi, functionName: 'deposit', args: [limit] });
    return call(data, serviceRegistryAddress);
  };
  const name = (step: Step): Sending => {
    const abi = serviceRegistryAbi;
    const url = step.twist === 'nothing' ? '' : `http://${step.amount}.example`;
    const data = encodeFunctionData({ abi, functionName: 'setURL', args: [url] });
    return call(data, serviceRegistryAddress);
  };

  function iouOf(step: Step) {
    const receiver = step.twist === 'stranger' ? signers[2].address : payer;
    const claimableUntil = head() + step.other;
    const sender = signers[0].address;
    const iou = { oneToN: oneToNAddress, chainId, sender, receiver, claimableUntil };
    const digest = iouDigest({ ...iou, amount: step.amount });
    const signature = signatureOf(signers[0], digest, step.twist);
    return { sender, receiver, amount: step.amount, claimableUntil, signature };
  }
  const claimIou = (step: Step): Sending => {
    const { sender, receiver, amount, claimableUntil, signature } = iouOf(step);
    const args = [sender, receiver, amount, claimableUntil, signature] as const;
    const data = encodeFunctionData({ abi: oneToNAbi, functionName: 'claim', args });
    return call(data, oneToNAddress);
  };
  const claimIous = (step: Step): Sending => {
    const ious = [iouOf({ ...step, twist: 'none' }), iouOf({ ...step, other: step.other + 1n })];
    const signatures = Buffer.concat(ious.map(({ signature }) => fromHex(signature)));
    const args = [
      ious.map(({ sender }) => sender),
      ious.map(({ receiver }) => receiver),
      ious.slice(step.pick % 7 === 0 ? 1 : 0).map(({ amount }) => amount),
      ious.map(({ claimableUntil }) => claimableUntil),
      toHex(signatures),
    ] as const;
    const data = encodeFunctionData({ abi: oneToNAbi, functionName: 'bulkClaim', args });
    return call(data, oneToNAddress);
  };

  const monitor = (step: Step): Sending => {
    const { closer, other, proof, signature, counter } = evidence(step);
    const whole: Signature = counter.length === 132 ? counter : `0x${'00'.repeat(65)}`;
    const reward = {
      monitoringService: monitoringServiceAddress,
      chainId,
      tokenNetwork: network,
      nonClosingParticipant: other.address,
      nonClosingSignature: whole,
      rewardAmount: step.amount,
    };
    const twist = step.pick % 3 === 0 ? step.twist : 'none';
    const promise = signatureOf(other, rewardProofDigest(reward), twist);
    const where = step.twist === 'network' ? contracts.serviceTokenAddress : network;
    const sides = [closer.address, other.address] as const;
    const { balanceHash, nonce, additionalHash } = proof;
    const hashes = [balanceHash, nonce, additionalHash, signature, counter] as const;
    const args = [...sides, ...hashes, step.amount, where, promise] as const;
    const data = encodeFunctionData({ abi: monitoringServiceAbi, functionName: 'monitor', args });
    return call(data, monitoringServiceAddress);
  };
  const claimReward = (step: Step): Sending => {
    const where = step.twist === 'network' ? contracts.userDepositAddress : network;
    const args = [currentId(step), where, sideOf(step).address, partnerOf(step).address] as const;
    const abi = monitoringServiceAbi;
    const data = encodeFunctionData({ abi, functionName: 'claimReward', args });
    return call(data, monitoringServiceAddress);
  };

  function answer(to: Hex, functionName: 'total_deposit', owner: Hex): bigint {
    const data = encodeFunctionData({ abi: userDepositAbi, functionName, args: [owner] });
    const message = { from: ZERO_ADDRESS, to, data, value: 0n };
    return BigInt(model.machine.ask(message).output);
  }

  return {
    deposit,
    claimIou,
    monitor,
    claimReward,
    all: [deposit, plan, takeOut, transfer, register, name, claimIou, claimIous, monitor],
    questions(): { to: Hex; data: Hex }[] {
      const owners = [payer, signers[0].address, signers[1].address];
      const ofDeposit = owners.flatMap((owner) =>
        (['balances', 'total_deposit', 'withdraw_plans', 'effectiveBalance'] as const).map(
          (functionName) =>
            encodeFunctionData({ abi: userDepositAbi, functionName, args: [owner] }),
        ),
      );
      const abi = serviceRegistryAbi;
      const ofRegistry = [
        encodeFunctionData({ abi, functionName: 'currentPrice' }),
        encodeFunctionData({ abi, functionName: 'everMadeDepositsLen' }),
        encodeFunctionData({ abi, functionName: 'urls', args: [payer] }),
        encodeFunctionData({ abi, functionName: 'service_valid_till', args: [payer] }),
      ];
      const whole = encodeFunctionData({ abi: userDepositAbi, functionName: 'whole_balance' });
      return [
        ...[...ofDeposit, whole].map((data) => ({ to: userDepositAddress, data })),
        ...ofRegistry.map((data) => ({ to: serviceRegistryAddress, data })),
      ];
    },
  };
}
