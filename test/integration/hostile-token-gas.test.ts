/** What a stranger's token may make this node pay for gas: the real queue, and contracts that burn it. */
import { type Hex, sha256 } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Address, parseAddress, type Secret } from '../../src/basics/hex.ts';
import type { ChainConnection } from '../../src/chain/client.ts';
import { registerSecretCalls } from '../../src/chain/queue/calls.ts';
import type { CallKind, Job, JobOutcome } from '../../src/chain/queue/jobs.ts';
import { createTransactions, type Transactions } from '../../src/chain/queue/transactions.ts';
import {
  secretRegistryAbi,
  secretRegistryBytecode,
} from '../../src/contracts/generated/SecretRegistry.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import {
  anvilAccount,
  anvilCall,
  clientsFor,
  connected,
  memoryStorage,
  mine,
} from '../support/chain.ts';
import { until } from '../support/until.ts';

const account = anvilAccount(5);
const SECRET: Secret = `0x${'07'.repeat(32)}`;
/** Counts down from 200,000: 5.2 million gas. */
const DEAR: Hex = '0x62030d405b600190038060045700';
/** Succeeds where gas costs nothing, as in a simulation; else it takes all that there is. */
const TWO_FACED: Hex = '0x3a600557005bfe';

let anvil: Anvil;
let chain: ChainConnection;
let queue: Transactions | null;
let ends: Map<string, JobOutcome>;
let troubles: string[];

beforeEach(async () => {
  anvil = await startAnvil();
  chain = await connected(anvil.rpc);
  queue = null;
  ends = new Map();
  troubles = [];
});
afterEach(async () => {
  chain.stop();
  await queue?.stop();
  await anvil.stop();
});

async function deployed(bytecode: Hex): Promise<Address> {
  const clients = clientsFor(anvil.rpc, chain, anvilAccount(0));
  const hash = await clients.wallet.deployContract({ abi: [], bytecode });
  const address = parseAddress((await confirmed(clients, hash, 'deploy')).contractAddress);
  if (address === null) throw new Error('no contract');
  return address;
}

/** Creates a contract with this code. */
function creationOf(code: Hex): Hex {
  const size = (code.length / 2 - 1).toString(16).padStart(2, '0');
  return `0x60${size}80600b6000396000f3${code.slice(2)}`;
}

const patient = (kind: CallKind, to: Address): Job => ({
  key: kind,
  calls: [{ kind, to, data: '0x' }],
  deadlineBlock: null,
  isPatient: true,
});

function begin(jobs: readonly Job[]): void {
  queue = createTransactions({
    client: chain.client,
    account,
    storage: memoryStorage(),
    onEnded: (key, outcome) => void ends.set(key, outcome),
    onFailure: (error) => void troubles.push(String(error)),
    onTrouble: ({ detail }) => void troubles.push(detail),
    pollIntervalMs: 30,
  });
  for (const job of jobs) queue.submit(job);
  queue.start();
}

const usedNonces = () => chain.client.getTransactionCount({ address: account.address });

describe('a settlement or an unlock in a token that a stranger has made', () => {
  it.each(['settle', 'unlock'] as const)(
    'is not sent while the token takes more gas than any %s needs, and delays no other transaction',
    async (kind) => {
      const registry = await deployed(secretRegistryBytecode);
      const tx = { from: 'x', key: 'x', deadlineBlock: 1_000n, secret: SECRET } as const;
      const calls = registerSecretCalls(
        { type: 'tx.registerSecret', ...tx },
        { secretRegistry: registry },
      );
      const registration: Job = { key: 'secret', calls, deadlineBlock: 1_000n, mayShare: true };
      begin([patient(kind, await deployed(creationOf(DEAR))), registration]);
      await until(() => ends.get('secret')?.ok === true, 'the secret is registered');
      await until(() => troubles.filter((text) => text.includes('gas')).length > 1, 'two refusals');

      expect(await usedNonces()).toBe(1);
      expect(ends.has(kind)).toBe(false);
      const block = await chain.client.readContract({
        address: registry,
        abi: secretRegistryAbi,
        functionName: 'getSecretRevealBlockHeight',
        args: [sha256(SECRET)],
      });
      expect(block).toBeGreaterThan(0n);
    },
  );

  it('ends when it would take more gas than a budget pays for', async () => {
    begin([{ ...patient('settle', await deployed(creationOf(DEAR))), mostGas: 1_000_000n }]);
    await until(() => ends.has('settle'), 'the end');
    expect(ends.get('settle')).toMatchObject({ ok: false, isTooDear: true });
    expect(await usedNonces()).toBe(0);
  });

  it('that reverts in each block although its simulation succeeds is tried again ever more seldom', async () => {
    begin([patient('settle', await deployed(creationOf(TWO_FACED)))]);
    const blocks: bigint[] = [];
    for (let tries = 1; tries <= 3; tries++) {
      await until(async () => {
        if ((await usedNonces()) >= tries) return true;
        await mine(chain, 5);
        return false;
      }, `try ${tries}`);
      blocks.push(await chain.client.getBlockNumber({ cacheTime: 0 }));
    }
    const [first = 0n, second = 0n, third = 0n] = blocks;
    expect(second - first).toBeGreaterThanOrEqual(80n);
    expect(third - second).toBeGreaterThanOrEqual(600n);
    expect(await usedNonces()).toBe(3);
    expect(ends.size).toBe(0);
  });

  it('ends when it took all of that in a block, without effect', async () => {
    begin([{ ...patient('settle', await deployed(creationOf(TWO_FACED))), mostGas: 1_000_000n }]);
    await until(async () => {
      await mine(chain, 1);
      return ends.has('settle');
    }, 'the end');
    expect(ends.get('settle')).toMatchObject({ ok: false, isTooDear: true });
    expect(await usedNonces()).toBe(1);
  });

  it('ends after a revert as soon as somebody else has made it needless', async () => {
    const contract = await deployed(creationOf(TWO_FACED));
    begin([patient('settle', contract)]);
    await until(async () => (await usedNonces()) === 1, 'the first try');
    await anvilCall(chain, 'anvil_setCode', contract, '0x60006000fd');
    await until(() => ends.get('settle')?.ok === false, 'the end');
    expect(await usedNonces()).toBe(1);
  });
});
