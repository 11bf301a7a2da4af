/** One direct payment of a whole node, from its HTTP call until its first message leaves. Loaded with `tracedSource`. */
import { request } from 'node:http';
import { serveNode } from '../../src/host/node-api.ts';
import type { Transport } from '../../src/partner/transport.ts';
import { openStore } from '../../src/store/open.ts';
import type { CallTree, Run } from './call-tree.ts';
import { good, startVirtualNetwork, TOKENS, type VirtualNetwork } from './network.ts';
import { until } from './until.ts';

/** As many payments as make whatever is made once. */
const EARLIER = 3;

/** The run in which the payment's lock leaves. */
export async function wayOfPayment(tree: CallTree): Promise<Run> {
  const network = startVirtualNetwork({
    checkBooks: false,
    open(_, stamp) {
      const opened = openStore({ url: ':memory:', stamp });
      if (!opened.ok) throw new Error(opened.message);
      return opened.store;
    },
  });
  tree.followTimers();
  try {
    return await payOnce(network, tree);
  } finally {
    tree.end();
    await network.stop();
  }
}

async function payOnce(network: VirtualNetwork, tree: CallTree): Promise<Run> {
  let last: Run | null = null;
  const line = network.bus.connect(network.addressOf('alice'));
  const transport: Transport = {
    ...line,
    publish(to, payload) {
      const run = tree.now();
      const isTransfer = () =>
        network.read(to, payload).some(({ message }) => message.type === 'Update');
      if (run !== null && last === null && tree.outside(isTransfer)) {
        last = run;
        tree.end();
      }
      line.publish(to, payload);
    },
  };
  for (const name of ['alice', 'bob']) await network.fund(name, 100n * TOKENS);
  const alice = await network.start('alice', { transport });
  const bob = await network.start('bob');
  const { token } = network;
  const terms = { totalDeposit: 10n * TOKENS, settleTimeout: null, revealTimeout: null };
  const order = { token, partner: bob.ownAddress, ...terms };
  good(await network.whileMining(alice.openChannel(order)));
  await until(() => bob.channel(token, alice.ownAddress) !== null, 'bob sees the channel');
  const served = await serveNode({
    node: alice,
    config: { host: '127.0.0.1', port: 0, concurrency: 1 },
    onInternalError(error) {
      throw error;
    },
  });
  if (!served.ok) throw new Error(served.message);
  const { url, end } = served.value;
  try {
    const pay = () => post(`${url}/api/v1/payments/${token}/${bob.ownAddress}`, '{"amount":"1"}');
    for (let paid = 0; paid < EARLIER; paid++) await pay();
    tree.begin();
    await pay();
  } finally {
    await end();
  }
  if (last === null) throw new Error('the payment was made, and no transfer was seen to leave');
  return last;
}

/** The process has a `fetch` of virtual time, which reaches no socket. */
function post(url: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const call = request(url, { method: 'POST', headers, agent: false }, (answer) => {
      answer.resume();
      if (answer.statusCode === 201 || answer.statusCode === 200) answer.on('end', () => resolve());
      else reject(new Error(`the payment was answered ${answer.statusCode}`));
    });
    call.on('error', reject);
    call.end(body);
  });
}
