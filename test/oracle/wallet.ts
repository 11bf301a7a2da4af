/**
 * What is so of a node's wallet: worked out from the REST APIs of the nodes and from the chain, by other code than the page's
 * and without what the page is told beside the API; and compared with what the page claims.
 */
import * as v from 'valibot';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { tokenNetworkAbi } from '../../src/contracts/generated/TokenNetwork.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { address } from '../../src/protocol/text-shapes.ts';
import type { Bar, Figure, Seen } from './read.ts';
import { callApi, type WalletNode, type WalletWorld } from './wallet-world.ts';

const channelShape = v.object({
  channel_identifier: v.string(),
  token_network_address: address,
  partner_address: address,
  token_address: address,
  balance: v.string(),
  total_deposit: v.string(),
  total_withdraw: v.string(),
  state: v.string(),
  settle_timeout: v.string(),
});
const recordShape = v.object({
  event: v.string(),
  log_time: v.string(),
  token_address: address,
  amount: v.optional(v.string()),
  identifier: v.optional(v.string()),
});
const openingShape = v.object({
  token_address: address,
  partner_address: address,
  total_deposit: v.string(),
});
type Channel = v.InferOutput<typeof channelShape>;

type Views = 'balances' | 'pay' | 'ask' | 'channels' | 'history' | 'services';
/**
 * `figures`: what each claim must be. `needed`: what a view may not leave out. `blocks`: which heights are as good as now.
 * `wrong`: where API and chain differ.
 */
export type Truth = {
  figures: Map<string, string>;
  gasPrice: bigint;
  needed: Record<Views, string[]>;
  blocks: { from: bigint; to: bigint };
  wrong: string[];
};

async function listOf<Shape extends v.GenericSchema>(
  node: Pick<WalletNode, 'api'>,
  path: string,
  shape: Shape,
): Promise<v.InferOutput<Shape>[]> {
  const { body } = await callApi(node, 'GET', path);
  return v.parse(v.array(shape), body);
}

/** Blocks that a page may be behind the chain: it asks every two seconds, and a node looks now and then. */
const BEHIND = 8n;

export async function truthOf(world: WalletWorld, node: WalletNode): Promise<Truth> {
  const { client } = world.chain;
  const figures = new Map<string, string>();
  const wrong: string[] = [];
  const [channels, opening, head] = await Promise.all([
    listOf(node, '/channels', channelShape),
    listOf(node, '/pending_channels', openingShape),
    client.getBlockNumber(),
  ]);
  figures.set('node/wei', `${await client.getBalance({ address: node.address })}`);
  for (const channel of channels) wrong.push(...(await noteChannel(world, node, channel, figures)));
  for (const { token_address: token, partner_address: partner, total_deposit } of opening)
    figures.set(`opening:${token}:${partner}/total_deposit`, total_deposit);
  await noteTokens(world, node, channels, figures);
  await notePayments(world, node, figures);
  await noteUserDeposit(world, node, figures);
  const needed = neededOf(channels, figures);
  const gasPrice = await client.getGasPrice();
  return { figures, gasPrice, needed, wrong, blocks: { from: head - BEHIND, to: head + BEHIND } };
}

function neededOf(channels: readonly Channel[], figures: Map<string, string>): Truth['needed'] {
  const tokens = [...new Set(channels.map((one) => `token:${one.token_address}`))];
  const whole = channels.map(whoseOf);
  const isSome = (claim: string) => figures.get(claim) !== '0';
  const each = (whose: readonly string[], ...names: string[]) =>
    whose.flatMap((one) => names.map((name) => `${one}/${name}`));
  return {
    balances: [
      ...each(tokens, 'can_pay', 'can_receive', 'on_chain'),
      ...each(whole, 'can_pay', 'can_receive'),
    ],
    channels: each(whole, 'can_pay', 'can_receive', 'total_deposit', 'total_withdraw', 'state'),
    history: [...figures.keys()].filter((claim) => claim.startsWith('payment:')),
    pay: each(tokens.slice(0, 1), 'most_can_pay').filter(isSome),
    ask: each(tokens.slice(0, 1), 'most_can_receive').filter(isSome),
    services: ['balance', 'total_deposit', 'planned'].map((name) => `user_deposit/${name}`),
  };
}

const whoseOf = (channel: Channel) =>
  `channel:${channel.token_network_address}:${channel.channel_identifier}`;

/** Returns where the API and the chain say different things of it. */
async function noteChannel(
  { chain, nodes }: WalletWorld,
  node: WalletNode,
  channel: Channel,
  figures: Map<string, string>,
): Promise<string[]> {
  const whose = whoseOf(channel);
  const names = ['total_deposit', 'total_withdraw', 'state', 'settle_timeout'] as const;
  const isOpen = channel.state === 'opened';
  const { token_address: token, partner_address: partner } = channel;
  figures.set(`${whose}/can_pay`, isOpen ? channel.balance : '0');
  if (isOpen) figures.set(`with:${token}:${partner}/can_pay`, channel.balance);
  figures.set(`${whose}/can_receive`, isOpen ? await partnerBalance(nodes, node, channel) : '0');
  for (const name of names) figures.set(`${whose}/${name}`, channel[name]);
  if (channel.state === 'settled') return [];
  const [deposit, withdrawn] = await chain.client.readContract({
    address: channel.token_network_address,
    abi: tokenNetworkAbi,
    functionName: 'getChannelParticipantInfo',
    args: [BigInt(channel.channel_identifier), node.address, channel.partner_address],
  });
  const told = [channel.total_deposit, channel.total_withdraw];
  return told.join() === [deposit, withdrawn].join()
    ? []
    : [`${whose}: the API says ${told}, and the chain ${deposit},${withdrawn}`];
}

/** What the partner's own node says of its side. */
async function partnerBalance(
  nodes: readonly WalletNode[],
  { address: own }: WalletNode,
  { partner_address: partner, token_address: token }: Channel,
): Promise<string> {
  const other = nodes.find((one) => one.address === partner);
  if (other === undefined) return 'not known';
  const { body } = await callApi(other, 'GET', `/channels/${token}/${own}`);
  return v.parse(channelShape, body).balance;
}

async function noteTokens(
  world: WalletWorld,
  node: WalletNode,
  channels: readonly Channel[],
  figures: Map<string, string>,
): Promise<void> {
  const service = await world.chain.client.readContract({
    address: world.userDeposit,
    abi: userDepositAbi,
    functionName: 'token',
  });
  for (const token of [world.fine, world.coarse, service]) {
    const own = await world.chain.client.readContract({
      address: token,
      abi: customTokenAbi,
      functionName: 'balanceOf',
      args: [node.address],
    });
    figures.set(`token:${token}/on_chain`, `${own}`);
    for (const what of ['can_pay', 'can_receive']) {
      const all = channels
        .filter((one) => one.token_address === token)
        .map((one) => BigInt(figures.get(`${whoseOf(one)}/${what}`) ?? '0'));
      figures.set(`token:${token}/${what}`, `${all.reduce((sum, one) => sum + one, 0n)}`);
      const most = all.reduce((largest, one) => (one > largest ? one : largest), 0n);
      figures.set(`token:${token}/most_${what}`, `${most}`);
    }
  }
}

const KINDS: Record<string, string> = {
  EventPaymentSentSuccess: 'sent',
  EventPaymentSentFailed: 'failed',
  EventPaymentReceivedSuccess: 'received',
};

async function notePayments(
  world: WalletWorld,
  node: WalletNode,
  figures: Map<string, string>,
): Promise<void> {
  const failed = [...(world.failed.get(node.name) ?? [])];
  const missing = () => failed.shift() ?? { amount: 'unknown', identifier: 'unknown' };
  const records = await listOf(node, '/payments', recordShape);
  figures.set('history/count', `${records.length}`);
  for (const [place, record] of records.entries()) {
    const { event, log_time: time, token_address: token } = record;
    const { amount, identifier } = event === 'EventPaymentSentFailed' ? missing() : record;
    const whose = `payment:${place}`;
    figures.set(`${whose}/event`, KINDS[event] ?? event);
    figures.set(`${whose}/time`, `${Date.parse(`${time}Z`)}`);
    figures.set(`${whose}/amount`, `${amount}`);
    figures.set(`${whose}/identifier`, `${identifier}`);
    if (event === 'EventPaymentSentSuccess')
      figures.set(`paid:${token}:${identifier}/amount`, `${amount}`);
    if (event === 'EventPaymentReceivedSuccess')
      figures.set(`received:${token}:${identifier}/amount`, `${amount}`);
  }
}

async function noteUserDeposit(
  world: WalletWorld,
  node: WalletNode,
  figures: Map<string, string>,
): Promise<void> {
  const at = { address: world.userDeposit, abi: userDepositAbi, args: [node.address] } as const;
  const { client } = world.chain;
  const [balance, total, [planned, from]] = await Promise.all([
    client.readContract({ ...at, functionName: 'balances' }),
    client.readContract({ ...at, functionName: 'total_deposit' }),
    client.readContract({ ...at, functionName: 'withdraw_plans' }),
  ]);
  figures.set('user_deposit/withdraw_block', `${from}`);
  figures.set('user_deposit/balance', `${balance}`);
  figures.set('user_deposit/total_deposit', `${total}`);
  figures.set('user_deposit/planned', `${planned}`);
}

/**
 * One sentence for each claim that is not so, that nobody can check, or that the view leaves out. `typed`: the amounts that
 * somebody has typed into the page. The price of gas changes from block to block.
 */
export function wrongClaims(
  { figures: shown, bars }: Seen,
  { figures, gasPrice, needed, blocks, wrong }: Truth,
  view: string,
  typed: readonly bigint[] = [],
): string[] {
  const judge = ({ claim, value, text }: (Figure | Bar) & { text?: string }): string[] => {
    if (claim === 'node/block') {
      const isNow = BigInt(value) >= blocks.from && BigInt(value) <= blocks.to;
      return isNow ? [] : [`node/block says ${value}, and the chain is at ${blocks.to - BEHIND}`];
    }
    if (/^(order:|asked\/)/.test(claim))
      return typed.includes(BigInt(value)) ? [] : [`nobody has typed ${claim}, ${value}`];
    const gas = /^gas:(\d+)\/wei$/.exec(claim)?.[1];
    if (gas !== undefined) {
      const now = BigInt(gas) * gasPrice;
      const isNear = BigInt(value) * 2n > now && BigInt(value) < now * 2n;
      return isNear ? [] : [`${claim} claims ${value}, and is ${now} now`];
    }
    const so = figures.get(claim);
    if (so === undefined) return [`nobody knows whether ${claim} is ${value} (“${text ?? ''}”)`];
    return so === value ? [] : [`${claim} claims ${value} (“${text ?? ''}”), and is ${so}`];
  };
  const said = new Set(shown.map(({ claim }) => claim));
  const missing = Object.entries(needed).flatMap(([name, claims]) =>
    name === view ? claims.filter((claim) => !said.has(claim)) : [],
  );
  return [
    ...wrong,
    ...shown.flatMap(judge),
    ...bars.flatMap(judge),
    ...missing.map((claim) => `it does not say ${claim}, which is ${figures.get(claim)}`),
  ];
}
