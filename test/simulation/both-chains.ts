/** The same calls on the compiled contracts, on anvil, and on their model; compared block by block. */
import * as v from 'valibot';
import { type Hex, maxUint256, numberToHex } from 'viem';
import type { Address } from '../../src/basics/hex.ts';
import { deployToken, registerNewToken } from '../../src/contracts/tokens.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import type { Receipt } from '../../src/simulation/chain/blocks.ts';
import { selectorOf } from '../../src/simulation/chain/contracts/abi.ts';
import { createSimulatedChain, type SimulatedChain } from '../../src/simulation/chain/genesis.ts';
import { createRpc } from '../../src/simulation/chain/rpc.ts';
import { RpcError } from '../../src/simulation/chain/rpc-error.ts';
import { type Chain, person, startChainOnAnvil } from '../contracts/chain.ts';
import { revertReason } from '../support/revert-reason.ts';

export type Sending = { from: Address; to: Address; data: Hex };
export type BothChains = Awaited<ReturnType<typeof startBoth>>;
/** One call on both: what the contracts took for it, and what the model says. */
type GasPair = { signature: string; isSuccess: boolean; real: number; model: number };

/** Of the second token's network, in its smallest unit. */
const LIMITS = { participantLimit: 1_000n, networkLimit: 5_000n };
const SETTLE_TIMEOUT = 10n;
/** Seconds. */
const BLOCK_TIME = 12;

const GAS = '0xf42400';
const Log = v.object({
  address: v.string(),
  topics: v.array(v.string()),
  data: v.string(),
  logIndex: v.string(),
});
const Receipts = v.array(
  v.object({
    status: v.picklist(['0x0', '0x1']),
    transactionHash: v.string(),
    gasUsed: v.string(),
    logs: v.array(Log),
  }),
);
const Block = v.object({ number: v.string(), timestamp: v.string(), logsBloom: v.string() });
const Trace = v.object({ output: v.optional(v.custom<Hex>((data) => typeof data === 'string')) });
const Answers = v.array(
  v.object({ id: v.number(), result: v.optional(v.unknown()), error: v.optional(v.unknown()) }),
);
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

/** The contracts take s in the upper half, too; the node does not. */
function recoverAsChain(digest: Uint8Array, signature: Uint8Array): Address | null {
  const found = recover(digest, signature);
  return found ?? recover(digest, mirrored(signature));
}

/** The other signature of the same key over the same digest. */
export function mirrored(signature: Uint8Array): Uint8Array {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString('hex')}`);
  if (s === 0n || s >= ORDER) return signature;
  const other = Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex');
  const parity = signature[64] === 28 ? 27 : 28;
  return Buffer.concat([signature.subarray(0, 32), other, Buffer.of(parity)]);
}

/** Both with the same contracts at the same addresses, at the same block. */
export async function startBoth() {
  const args = ['--disable-block-gas-limit', '--balance', '1000000000'];
  const real = await startChainOnAnvil({ args, keptStates: 4 });
  const registry = real.deployment.tokenNetworkRegistryAddress;
  const options = { name: 'LIM', symbol: 'LIM', initialSupply: 1n };
  const limited = await deployToken(real.clients, options);
  await registerNewToken(real.clients, registry, limited, LIMITS);
  const model = await modelOf(real);
  const rpc = createRpc(model);
  await real.rpc('evm_setAutomine', [false]);
  // Without it, time on anvil goes on as it does here.
  const time = Number(model.head().timestamp) + 1_000;
  await real.rpc('evm_setNextBlockTimestamp', [time]);
  await real.rpc('evm_mine');
  await real.rpc('anvil_setBlockTimestampInterval', [BLOCK_TIME]);
  model.mine(time);
  const gas: GasPair[] = [];
  const names = namesOf(model);

  /** Many calls in one request; each answer or the error in its place. */
  async function batch(calls: readonly { method: string; params: readonly unknown[] }[]) {
    const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
    const response = await fetch(real.anvil.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answers = v.parse(Answers, await response.json());
    const sorted = answers.toSorted((a, b) => a.id - b.id);
    if (sorted.length !== calls.length) throw new Error('not all calls were answered');
    return sorted;
  }

  /** Anvil works on the calls of one request side by side: nonce and price say in which order they are mined. */
  async function sendAll(sendings: readonly Sending[]): Promise<void> {
    const used = new Map<Address, number>();
    const calls = sendings.map((sending, at) => {
      const own = used.get(sending.from) ?? 0;
      used.set(sending.from, own + 1);
      const nonce = numberToHex(nonceOf(sending.from) + own);
      const tip = numberToHex(10n ** 9n - BigInt(at));
      const fees = { maxPriorityFeePerGas: tip, maxFeePerGas: numberToHex(10n ** 12n) };
      return { method: 'eth_sendTransaction', params: [{ ...sending, gas: GAS, nonce, ...fees }] };
    });
    const answers = calls.length === 0 ? [] : await batch(calls);
    const refusals = answers.filter(({ error }) => error !== undefined);
    if (refusals.length > 0) throw new Error(`anvil refuses: ${JSON.stringify(refusals)}`);
  }
  const nonceOf = (owner: Address) => model.machine.nonces.get(owner);

  /** Mines these in one block of each chain, and `empty` blocks before it. Throws when they disagree. */
  async function mine(sendings: readonly Sending[], empty: number): Promise<readonly Receipt[]> {
    for (let n = 1; n <= empty; n++) model.mine(Number(model.head().timestamp) + BLOCK_TIME);
    if (empty > 0) await real.rpc('anvil_mine', [numberToHex(empty)]);
    await sendAll(sendings);
    await real.rpc('evm_mine');
    const answers = await batch([
      { method: 'eth_getBlockReceipts', params: ['latest'] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ]);
    for (const sending of sendings) model.setUp({ ...sending, value: 0n }, { isTrial: true });
    const block = model.mine(Number(model.head().timestamp) + BLOCK_TIME);
    await compare(sendings, block, {
      receipts: v.parse(Receipts, answers.at(-2)?.result),
      header: v.parse(Block, answers.at(-1)?.result),
    });
    return block.receipts;
  }

  async function compare(
    sendings: readonly Sending[],
    block: ReturnType<SimulatedChain['mine']>,
    found: { receipts: v.InferOutput<typeof Receipts>; header: v.InferOutput<typeof Block> },
  ): Promise<void> {
    const { number, timestamp } = found.header;
    same([BigInt(number), BigInt(timestamp)], [block.number, block.timestamp], 'the block');
    same(found.receipts.length, sendings.length, 'the number of transactions');
    const failed = found.receipts.filter(({ status }) => status === '0x0');
    const reasons = await reasonsOf(failed.map(({ transactionHash }) => transactionHash));
    for (const [at, receipt] of found.receipts.entries()) {
      const sending = sendings[at];
      const own = block.receipts[at];
      if (own === undefined || sending === undefined) throw new Error('one receipt too many');
      const signature = names.get(sending.data.slice(0, 10)) ?? 'something else';
      const reason = reasons.get(receipt.transactionHash) ?? null;
      const what = `${signature} in block ${block.number}`;
      same(`${own.run.isSuccess} ${own.run.reason}`, `${receipt.status === '0x1'} ${reason}`, what);
      same(own.logs.map(plain), receipt.logs.map(plainReal), `the logs of ${what}`);
      const { isSuccess, gasUsed } = own.run;
      gas.push({ signature, isSuccess, real: Number(receipt.gasUsed), model: Number(gasUsed) });
    }
    same(block.bloom, found.header.logsBloom, `the filter of block ${block.number}`);
  }

  /** Null: reverted without one. */
  async function reasonsOf(hashes: readonly string[]): Promise<Map<string, string | null>> {
    if (hashes.length === 0) return new Map();
    const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } };
    const traces = await batch(
      hashes.map((hash) => ({ method: 'debug_traceTransaction', params: [hash, options] })),
    );
    return new Map(
      traces.map(({ result }, at) => [
        hashes[at] ?? '',
        revertReason(v.parse(Trace, result).output),
      ]),
    );
  }

  return {
    real,
    model,
    mine,
    gas,
    contracts: real.deployment,
    networks: model.tokens,
    /** The answers to calls that change nothing, of both; throws when they differ. */
    async ask(calls: readonly { to: Address; data: Hex; from?: Address }[]): Promise<void> {
      const params = calls.map((call) => [call, 'latest']);
      const answers = await batch(params.map((one) => ({ method: 'eth_call', params: one })));
      for (const [at, call] of calls.entries()) {
        const name = names.get(call.data.slice(0, 10)) ?? call.data;
        const answer = answers[at];
        const real = answer?.error === undefined ? answer?.result : 'reverted';
        same(modelAnswer(call), real, `the answer of ${name} for ${call.data}`);
      }
    },
    stop: () => real.stop(),
  };

  function modelAnswer(call: { to: Address; data: Hex }): unknown {
    try {
      return rpc.request({ method: 'eth_call', params: [call, 'latest'] });
    } catch (error) {
      if (error instanceof RpcError) return 'reverted';
      throw error;
    }
  }
}

async function modelOf(real: Chain): Promise<SimulatedChain> {
  const time = await real.clients.public.readContract({
    address: real.deployment.serviceRegistryAddress,
    abi: [
      {
        type: 'function',
        name: 'set_price_at',
        inputs: [],
        stateMutability: 'view',
        outputs: [{ type: 'uint256' }],
      },
    ] as const,
    functionName: 'set_price_at',
  });
  const unlimited = { participantLimit: maxUint256, networkLimit: maxUint256 };
  const model = createSimulatedChain({
    chainId: Number(real.chainId),
    time: Number(time),
    accounts: [],
    recover: recoverAsChain,
    deployer: person(0).address,
    settleTimeoutMin: SETTLE_TIMEOUT,
    maxTokenNetworks: 10n,
    tokens: [
      { symbol: 'TTT', initialSupply: 1n, ...unlimited },
      { symbol: 'LIM', initialSupply: 1n, ...LIMITS },
    ],
  });
  const { number, timestamp } = await real.clients.public.getBlock();
  while (model.head().number < number)
    model.mine(Number(timestamp) - Number(number - model.head().number) + 1);
  same(model.contracts.monitoringServiceAddress, real.deployment.monitoringServiceAddress, 'place');
  same(model.tokens[0]?.network, real.network, 'the address of the network');
  return model;
}

/** The functions of all contracts by their selectors. */
function namesOf({ machine, contracts, tokens, serviceToken }: SimulatedChain) {
  const places = [
    ...Object.values(contracts),
    serviceToken,
    ...tokens.map(({ network }) => network),
  ];
  const signatures = places.flatMap((place) => [
    ...(machine.contracts.get(place)?.methods.values() ?? []),
  ]);
  return new Map(signatures.map(({ signature }) => [String(selectorOf(signature)), signature]));
}

type PlainLog = { address: string; topics: readonly string[]; data: string; logIndex: string };

const plain = ({ encoded }: Receipt['logs'][number]): PlainLog => plainReal(encoded);

function plainReal({ address, topics, data, logIndex }: PlainLog): PlainLog {
  return { address: address.toLowerCase(), topics, data, logIndex };
}

/** Throws unless both are the same text. */
function same(model: unknown, real: unknown, what: string): void {
  const [one, other] = [textOf(model), textOf(real)];
  if (one !== other) throw new Error(`${what}: the model says ${one}, the contracts ${other}`);
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part));
}
