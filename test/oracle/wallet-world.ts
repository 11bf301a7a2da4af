/** A devnet whose wallets are looked at: two tokens, of 18 and of 2 decimals, and what its nodes do, asked of their API. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, parseAddress } from '../../src/basics/hex.ts';
import { userDepositAbi } from '../../src/contracts/generated/UserDeposit.ts';
import { deployToken, mintTokens } from '../../src/contracts/tokens.ts';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { anvilAccount, anvilCall, clientsFor, connected } from '../support/chain.ts';
import { startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';
import type { Tokens } from './judge.ts';

export type WalletNode = { name: string; address: Address; api: string };
export type WalletWorld = {
  chain: Awaited<ReturnType<typeof connected>>;
  rpc: string;
  nodes: readonly WalletNode[];
  /** The token of 18 decimals, and that of 2. */
  fine: Address;
  coarse: Address;
  tokens: Tokens;
  userDeposit: Address;
  /** By node: the payments that its history lists as failed, oldest first. Its API does not tell so much of them. */
  failed: Map<string, { amount: bigint; identifier: string }[]>;
};
type Answer = { status: number; body: unknown };

/** Asks a node's API; what it answers is judged by whoever asks. */
export async function callApi(
  { api }: Pick<WalletNode, 'api'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const json = { 'content-type': 'application/json' };
  const given = body === undefined ? {} : { headers: json, body: JSON.stringify(body) };
  const answer = await fetch(`${api}/api/v1${path}`, { method, ...given });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
}

async function must(...call: Parameters<typeof callApi>): Promise<unknown> {
  const { status, body } = await callApi(...call);
  if (status >= 300) throw new Error(`${call[1]} ${call[2]}: ${status} ${JSON.stringify(body)}`);
  return body;
}

function addressIn(text: string | null | undefined): Address {
  const address = parseAddress(text ?? '');
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

/** `folder`: for the file by which the devnet says that it is ready. */
export async function startWalletWorld(folder: string, nodes = 3): Promise<WalletWorld> {
  const file = join(folder, 'ready.json');
  const options = ['--nodes', `${nodes}`, '--no-services', '--api-port', '0'];
  const timeouts = ['--default-settle-timeout', '20'];
  startProgram(['devnet', ...options, ...timeouts, '--ready-file', file]);
  await until(() => existsSync(file), 'the devnet', 90_000);
  const ready: ReadyFile = JSON.parse(readFileSync(file, 'utf8'));
  const { rpc } = ready.chain;
  const chain = await connected(rpc);
  const clients = clientsFor(rpc, chain, anvilAccount(9));
  const coarse = await deployToken(clients, { name: 'Coarse', symbol: 'FEW', decimals: 2 });
  for (const { address } of ready.nodes) await mintTokens(clients, coarse, address, 1_234_567n);
  const [first] = ready.nodes;
  if (first === undefined) throw new Error('the devnet has no node');
  await must(first, 'PUT', `/tokens/${coarse}`, {});
  const fine = addressIn(ready.tokens[0]?.address);
  const all = ready.nodes.map(({ name, address, api }) => ({
    ...{ name, api },
    address: addressIn(address),
  }));
  const userDeposit = addressIn(ready.contracts.user_deposit_address);
  const service = await chain.client.readContract({
    ...{ address: userDeposit, abi: userDepositAbi },
    functionName: 'token',
  });
  const seesToken = async (node: WalletNode) => {
    const { body } = await callApi(node, 'GET', '/tokens');
    return Array.isArray(body) && body.includes(coarse);
  };
  for (const node of all) await until(() => seesToken(node), `${node.name} knows the token`);
  return {
    ...{ chain, rpc, fine, coarse, nodes: all, userDeposit },
    tokens: new Map([
      [fine.toLowerCase(), { symbol: 'TTA', decimals: 18 }],
      [coarse.toLowerCase(), { symbol: 'FEW', decimals: 2 }],
      [service.toLowerCase(), { symbol: 'SVT', decimals: 18 }],
    ]),
    failed: new Map(all.map(({ name }) => [name, []])),
  };
}

export type Deeds = ReturnType<typeof deedsIn>;

/** What nodes do, by their names. Amounts in the token's smallest unit. */
export function deedsIn(world: WalletWorld) {
  function node(name: string): WalletNode {
    const found = world.nodes.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }
  let paid = 4_000_000_000n;
  const place = (token: Address, partner: string) => `/channels/${token}/${node(partner).address}`;
  const failures = async (from: string) => {
    const { body } = await callApi(node(from), 'GET', '/payments');
    return JSON.stringify(body).split('EventPaymentSentFailed').length - 1;
  };
  return {
    node,
    /** `timeout`: until it is settled after a close, in blocks. */
    open: (from: string, to: string, token: Address, deposit: bigint, timeout = 20) =>
      must(node(from), 'PUT', '/channels', {
        ...{ partner_address: node(to).address, token_address: token },
        ...{ total_deposit: `${deposit}`, settle_timeout: `${timeout}` },
      }),
    deposit: (from: string, to: string, token: Address, total: bigint) =>
      must(node(from), 'PATCH', place(token, to), { total_deposit: `${total}` }),
    withdraw: (from: string, to: string, token: Address, total: bigint) =>
      must(node(from), 'PATCH', place(token, to), { total_withdraw: `${total}` }),
    close: (from: string, to: string, token: Address) =>
      must(node(from), 'PATCH', place(token, to), { state: 'closed' }),
    userDeposit: (name: string, body: Record<string, string>) =>
      must(node(name), 'POST', '/user_deposit', body),
    /** Whether it was paid; what fails is noted as the history lists it. */
    async pay(from: string, to: string, token: Address, amount: bigint): Promise<boolean> {
      const before = await failures(from);
      const target = node(to).address;
      const path = `/payments/${token}/${target}`;
      paid += 1n;
      const identifier = `${paid}`;
      const order = { amount: `${amount}`, identifier };
      const { status } = await callApi(node(from), 'POST', path, order);
      if (status === 200) return true;
      if ((await failures(from)) > before) world.failed.get(from)?.push({ amount, identifier });
      return false;
    },
    mine: (blocks: number) => anvilCall(world.chain, 'hardhat_mine', `0x${blocks.toString(16)}`),
    /** Waits until no payment is under way at any node. */
    async quiet(): Promise<void> {
      const isQuiet = async () => {
        const all = await Promise.all(
          world.nodes.map((one) => callApi(one, 'GET', '/pending_transfers')),
        );
        return all.every(({ body }) => Array.isArray(body) && body.length === 0);
      };
      await until(isQuiet, 'no payment is under way');
    },
  };
}
