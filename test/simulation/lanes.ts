/** One random story of a channel, in calls that mostly make sense where the channel stands, and often do not. */
import { encodeFunctionData } from 'viem';
import type { Address } from '../../src/basics/hex.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { secretRegistryAbi } from '../../src/contracts/generated/SecretRegistry.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { BothChains, Sending } from './both-chains.ts';
import { channelCalls } from './channel-calls.ts';
import { disputeCalls } from './dispute-calls.ts';
import { serviceCalls } from './service-calls.ts';
import { ADDITIONAL, createStory, type Step, type Story } from './story.ts';

export type Lane = ReturnType<typeof createLane>;

/** `payer`: an account of the chain, which sends the calls of this story. */
export function createLane(both: BothChains, payer: Address, place: 0 | 1) {
  const story = createStory(both, payer, place);
  const { open, deposit, withdraw, settleTogether } = channelCalls(story);
  const { close, evidence, update, settle, unlock } = disputeCalls(story);
  const { reveal, moveTokens } = otherCalls(story);
  const services = serviceCalls(story, evidence);

  /** The calls that make the most sense in the channel's state; a likelier one is listed several times. */
  function likely(step: Step): readonly ((step: Step) => Sending)[] {
    switch (story.facts(step)?.state) {
      case 'opened':
        return [deposit, deposit, withdraw, withdraw, close, close, settleTogether, reveal];
      case 'closed':
        return [
          update,
          update,
          services.monitor,
          services.deposit,
          services.claimReward,
          settle,
          settle,
          settle,
          reveal,
          close,
        ];
      case 'settled':
        return [unlock, unlock, unlock, reveal, services.claimReward];
      default:
        return [open, open, open, reveal, services.claimReward, services.deposit];
    }
  }
  const all = [open, deposit, withdraw, settleTogether, close, update, settle, unlock, moveTokens];

  const afterwards = [services.claimReward, services.deposit, services.claimIou];

  return {
    next(step: Step): Sending {
      const { pick } = step;
      const choices = pick < 80 ? likely(step) : pick < 88 ? services.all : [...all, ...afterwards];
      const sending = choices[pick % choices.length]?.(step) ?? open(step);
      if (step.twist !== 'calldata') return sending;
      const bytes = Math.floor((sending.data.length * (pick % 40)) / 80);
      return { ...sending, data: `0x${sending.data.slice(2, 2 + 2 * bytes)}` };
    },
    /** Tokens of the two owners, in the model. */
    balances: () =>
      [story.signers[0], story.signers[1]].map(({ address }) =>
        both.model.tokenBalance(story.token, address),
      ),
    questions: () => [...questionsOf(story), ...services.questions()],
  };
}

function otherCalls({ both, payer, signers, secrets, call, token, network }: Story) {
  const { contracts } = both;

  const reveal = (step: Step): Sending => {
    const abi = secretRegistryAbi;
    const to = contracts.secretRegistryAddress;
    const secret = secrets[step.pick % secrets.length] ?? ADDITIONAL;
    if (step.side === 0)
      return call(encodeFunctionData({ abi, functionName: 'registerSecret', args: [secret] }), to);
    const args = [secrets.slice(0, step.pick % (secrets.length + 1))] as const;
    return call(encodeFunctionData({ abi, functionName: 'registerSecretBatch', args }), to);
  };

  const moveTokens = (step: Step): Sending => {
    const abi = customTokenAbi;
    const to = step.twist === 'stranger' ? signers[2].address : network;
    const { amount, pick } = step;
    const data = [
      () => encodeFunctionData({ abi, functionName: 'mint', args: [amount] }),
      () =>
        encodeFunctionData({ abi, functionName: 'mintFor', args: [amount, signers[0].address] }),
      () => encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount % 7n] }),
      () => encodeFunctionData({ abi, functionName: 'approve', args: [to, 2n ** 200n] }),
      () => encodeFunctionData({ abi, functionName: 'transferFrom', args: [payer, to, amount] }),
      () => encodeFunctionData({ abi, functionName: 'transferFunds' }),
    ][pick % 6];
    return call(data?.() ?? '0x', token);
  };

  return { reveal, moveTokens };
}

/** Questions whose answers say all that the contracts hold of this story. */
function questionsOf({ both, payer, signers, secrets, network, token, currentId }: Story) {
  const [one, two] = [signers[0].address, signers[1].address];
  const abi = tokenNetworkAbi;
  const pairs = [[one, two] as const, [two, one] as const];
  const none: Step = { pick: 0, side: 0, amount: 0n, other: 0n, twist: 'none' };
  const channel = currentId(none);
  const ofChannel = pairs.flatMap((pair) => [
    encodeFunctionData({ abi, functionName: 'getChannelInfo', args: [channel, ...pair] }),
    encodeFunctionData({
      abi,
      functionName: 'getChannelParticipantInfo',
      args: [channel, ...pair],
    }),
    encodeFunctionData({ abi, functionName: 'getChannelIdentifier', args: pair }),
    encodeFunctionData({ abi, functionName: 'channels', args: [channel] }),
  ]);
  const balances = [one, two, network, payer].map((owner) =>
    encodeFunctionData({ abi: customTokenAbi, functionName: 'balanceOf', args: [owner] }),
  );
  const known = secrets.map((secret) =>
    encodeFunctionData({
      abi: secretRegistryAbi,
      functionName: 'getSecretRevealBlockHeight',
      args: [secrethashOf(secret)],
    }),
  );
  return [
    ...ofChannel.map((data) => ({ to: network, data })),
    ...balances.map((data) => ({ to: token, data })),
    ...known.map((data) => ({ to: both.contracts.secretRegistryAddress, data })),
  ];
}
