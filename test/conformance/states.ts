/** States that some rows need beyond those of `prepare`, and what the chain says afterwards. */

import { type Address, parseAddress } from '../../src/basics/hex.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { until } from '../support/until.ts';
import type { Devnet } from './devnet.ts';
import type { NodeName } from './nodes.ts';

/** The address that a name stands for. */
function addressIn(devnet: Devnet, name: string): Address {
  const address = parseAddress(devnet.filled(name));
  if (address === null) throw new Error(`${name} is no address`);
  return address;
}

/** What the user-deposit contract holds for the node. */
export async function userDepositOf({ chain, clients, addressOf }: Devnet, name: NodeName) {
  const at = { address: chain.contracts.userDepositAddress, abi: userDepositAbi } as const;
  const args = [addressOf(name)] as const;
  const read = clients.public.readContract;
  const [total, balance, [plannedAmount, plannedBlock]] = await Promise.all([
    read({ ...at, functionName: 'total_deposit', args }),
    read({ ...at, functionName: 'balances', args }),
    read({ ...at, functionName: 'withdraw_plans', args }),
  ]);
  return { total, balance, plannedAmount, plannedBlock };
}

/** Tokens outside of channels. */
export function tokensOf(devnet: Devnet, token: string, owner: string): Promise<bigint> {
  return devnet.clients.public.readContract({
    address: addressIn(devnet, token),
    abi: customTokenAbi,
    functionName: 'balanceOf',
    args: [addressIn(devnet, owner)],
  });
}

/** Waits until the node has handled the blocks that there are now: it may be a look at the chain behind the others. */
async function readUp(devnet: Devnet, name: NodeName): Promise<void> {
  const newest = await devnet.clients.public.getBlockNumber({ cacheTime: 0 });
  const url = `${await devnet.urlOf(name)}/metrics`;
  const hasHandled = async () => {
    const page = await (await fetch(url)).text();
    const gauge = (of: string) => Number(new RegExp(`^pcn_${of} (\\d+)$`, 'm').exec(page)?.[1]);
    return gauge('chain_head') - gauge('chain_lag_blocks') > newest;
  };
  await devnet.whileMining(until(hasHandled, `${name} has handled block ${newest}`));
}

/** Carol opens channels of the token with bob and penniless, so that alice finds three in its network. */
export async function makePeers(devnet: Devnet, token: string): Promise<void> {
  const open = (partner: string) =>
    devnet.do('carol', 'PUT /channels', { token_address: token, partner_address: partner });
  await Promise.all(['{bob}', '{penniless}'].map(open));
  await readUp(devnet, 'alice');
}

/** Somebody who has money again opens a channel with alice. */
export async function openWithAlice(devnet: Devnet, token: string): Promise<void> {
  await devnet.giveGas('gasless', 10n ** 18n);
  const body = { token_address: token, partner_address: '{alice}', total_deposit: '50' };
  await devnet.do('gasless', 'PUT /channels', body);
  await devnet.giveGas('gasless', 0n);
  const alice = await devnet.api('alice');
  const path = devnet.filled(`/channels/${token}/{gasless}`);
  const matched = async () => Object((await alice.get(path)).body).total_deposit !== '0';
  const known = async () => (await alice.get(path)).status === 200 && (await matched());
  await devnet.whileMining(until(known, 'alice answers with a deposit of her own'));
}

/** While alice leaves: all channels are closed, and the settle timeout of the last passes. */
export async function passSettleTimeout(devnet: Devnet, token: string): Promise<void> {
  const alice = await devnet.api('alice');
  const path = devnet.filled(`/channels/${token}`);
  const states = async () =>
    [(await alice.get(path)).body].flat().map((channel) => Object(channel).state);
  const isClosed = async () => (await states()).every((state) => state === 'closed');
  await devnet.whileMining(until(isClosed, 'all channels are closed'));
  await devnet.mine(500);
}

const underWay: Promise<unknown>[] = [];

/** Alice's next transaction has been sent, in a block that is not confirmed while the chain stands still. */
async function whenSent({ clients, addressOf }: Devnet, act: () => Promise<unknown>) {
  const address = addressOf('alice');
  const count = () => clients.public.getTransactionCount({ address });
  const before = await count();
  await act();
  await until(async () => (await count()) > before, 'alice has sent a transaction');
}

/** Begins a close that cannot end before `endAll`. */
export async function beginClose(devnet: Devnet, partner: string): Promise<void> {
  const alice = await devnet.api('alice');
  const path = devnet.filled(`/channels/{token}/${partner}`);
  await whenSent(devnet, async () => underWay.push(alice.patch(path, { state: 'closed' })));
}

/** Lets everything end that was begun here. */
export async function endAll(devnet: Devnet): Promise<void> {
  await devnet.whileMining(Promise.all(underWay.splice(0)));
}

/** Begins a settlement that cannot end before `endAll`. */
export async function beginSettle(devnet: Devnet, partner: string): Promise<void> {
  const { settle_timeout } = Object(await devnet.do('alice', `GET /channels/{token}/${partner}`));
  await whenSent(devnet, () => devnet.mine(Number(settle_timeout) + 2));
}

/** Waits until the node has a notification of this id, without reading the list, which would empty it. */
export async function noted(devnet: Devnet, name: NodeName, id: string): Promise<void> {
  const url = `${await devnet.urlOf(name)}/api/v1/events/stream`;
  const ending = new AbortController();
  const headers = { 'last-event-id': '0' };
  const response = await fetch(url, { headers, signal: ending.signal });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes(id)) break;
  }
  ending.abort();
}

/** A token for each of the documented minting methods: `{MintToken}` and so on. */
export async function deployMintable({ names, createMintable }: Devnet): Promise<void> {
  if (names.has('MintToken')) return;
  for (const [name, address] of await createMintable()) names.set(name, address);
}
