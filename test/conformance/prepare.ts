/** The channels and payments that rows speak of, made by the API and the chain only. */
import { secretRegistryAbi } from '../../src/chain/abi.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import { until } from '../support/until.ts';
import { type Devnet, KNOWN_SECRET } from './devnet.ts';

/** In units: what alice puts into each of her channels. */
const DEPOSITS = {
  bob: '1000',
  carol: '1000',
  gasless: '100',
  penniless: '100',
  // Nobody runs these: of one the channel is open, of the other closed and far from its settlement.
  absent: '100',
  closed: '100',
};

/**
 * Alice has channels of `{token}`, with settle timeout 40 and reveal timeout 10; bob and carol have put 500
 * units into theirs. Bob was paid 5 with one secret, another secret is on chain. She has none with
 * `{stranger}`.
 */
export async function prepare(devnet: Devnet): Promise<void> {
  const { names, filled } = devnet;
  for (const [i, name] of ['absent', 'closed', 'stranger'].entries())
    names.set(name, filled(`{someone${900 + i}}`));
  const running = ['bob', 'carol', 'gasless', 'penniless'] as const;
  await Promise.all(running.map((name) => devnet.urlOf(name)));
  const tellSecret = () =>
    devnet.clients.wallet.writeContract({
      address: devnet.chain.contracts.secretRegistryAddress,
      abi: secretRegistryAbi,
      functionName: 'registerSecret',
      args: [KNOWN_SECRET],
    });
  await confirmed(devnet.clients, await tellSecret(), 'telling a secret');
  await Promise.all(Object.entries(DEPOSITS).map((entry) => open(devnet, ...entry)));
  await isMissed(devnet);
  await devnet.do('alice', 'PATCH /channels/{token}/{closed}', { state: 'closed' });
  await Promise.all([depositBack(devnet, 'bob'), depositBack(devnet, 'carol')]);
  const payment = { amount: '5', identifier: '1', secret: '{usedSecret}' };
  await devnet.do('alice', 'POST /payments/{token}/{bob}', payment);
  const bob = await devnet.api('bob');
  await until(async () => (await bob.history()).length === 1, 'bob is paid');
  await devnet.do('bob', 'POST /payments/{token}/{alice}', { amount: '2', identifier: '2' });
}

async function open(devnet: Devnet, partner: string, deposit: string): Promise<void> {
  const isClosed = partner === 'closed';
  await devnet.do('alice', 'PUT /channels', {
    token_address: '{token}',
    partner_address: `{${partner}}`,
    total_deposit: deposit,
    settle_timeout: isClosed ? '100000' : '40',
    reveal_timeout: '10',
  });
}

/** Whether somebody is there is found out beside everything else. */
async function isMissed(devnet: Devnet): Promise<void> {
  const api = await devnet.api('alice');
  const path = devnet.filled('/channels/{token}/{absent}');
  await until(async () => {
    const { body } = await api.get(path);
    return Object(body).network_state === 'unreachable';
  }, 'alice misses the absent');
}

async function depositBack(devnet: Devnet, name: 'bob' | 'carol'): Promise<void> {
  const api = await devnet.api(name);
  const path = devnet.filled('/channels/{token}/{alice}');
  await until(async () => (await api.get(path)).status === 200, `${name} sees the channel`);
  await devnet.do(name, 'PATCH /channels/{token}/{alice}', { total_deposit: '500' });
}
