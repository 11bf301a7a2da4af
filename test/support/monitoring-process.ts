/** The monitoring service as its operator runs it: one process, which can be killed and started again. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/basics/hex.ts';
import { type Child, startChild } from '../../src/devnet/base/child.ts';
import { contractsFileText } from '../../src/host/contracts-file.ts';
import { connectNats } from '../../src/partner/nats.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { writeKeystore } from '../../src/signer/keystore.ts';
import { connect } from '../../src/store/base/connection.ts';
import { person } from '../contracts/chain.ts';
import { fundAndRegister } from '../contracts/services.ts';
import { type MonitoringChain, REWARD } from './monitoring-chain.ts';
import { startNats } from './nats.ts';
import { MAIN } from './program.ts';
import { until } from './until.ts';

export type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>;

/** Person 9, registered, with a broker on which the owner can be heard. Nothing runs yet. */
export async function startServiceProcess(world: MonitoringChain) {
  const { chain, folder } = world;
  const file = (name: string) => join(folder, name);
  const key = fromHex(toHex(person(9).getHdKey().privateKey ?? new Uint8Array()));
  const cost = { n: 1_024, r: 8, p: 1 };
  const written = await writeKeystore(file('keys'), key, 'not a secret', { cost });
  if (!written.ok) throw new Error(written.detail);
  const { address } = written.value;
  writeFileSync(file('password'), 'not a secret', { mode: 0o600 });
  writeFileSync(file('contracts.json'), contractsFileText(chain.deployment));
  await fundAndRegister(chain, address);
  const nats = await startNats();
  const owner = connectNats({
    url: nats.url,
    chainId: chain.chainId,
    tokenNetworkRegistry: chain.deployment.tokenNetworkRegistryAddress,
    address: world.owner.address,
    sign: null,
    recover,
    report() {},
  });
  const args = [
    MAIN,
    'monitoring',
    '--eth-rpc-endpoint',
    chain.anvil.rpc,
    '--nats',
    nats.url,
    ...['--contracts', file('contracts.json'), '--database', `file:${file('service.db')}`],
    '--keystore-path',
    file('keys'),
    '--password-file',
    file('password'),
    '--confirmations',
    '1',
    '--poll-interval',
    '50',
    '--min-reward',
    String(REWARD),
  ];
  let child: Child | null = null;
  let hasEnded = true;
  const running = (): Child => {
    if (child === null) throw new Error('the service was never started');
    return child;
  };
  const signal = (name: NodeJS.Signals) => void (hasEnded || process.kill(running().pid, name));

  /** What one row of its database says, in one column; null: there is no such row. */
  function stored(query: string): unknown {
    const { client } = connect(file('service.db'));
    try {
      const row: unknown = client.prepare(query).get();
      return typeof row === 'object' && row !== null ? Object.values(row)[0] : null;
    } finally {
      client.close();
    }
  }

  async function launch(): Promise<void> {
    hasEnded = false;
    child = await startChild({
      name: 'monitoring',
      command: process.execPath,
      args,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        SLUICE_CRASH_AT: `file:${file('die')}`,
      },
    });
    void child.ended.then(() => {
      hasEnded = true;
    });
  }

  return {
    address,
    stored,
    launch,
    /** Starts it, and waits until it has handled all blocks that are confirmed. */
    async start(): Promise<void> {
      await launch();
      await running().line(/^ready: /);
      const confirmed = async () => (await chain.block()) - 1n;
      const cursor = () => stored("SELECT value FROM meta WHERE key = 'cursorBlock'");
      await until(async () => BigInt(String(cursor() ?? 0)) >= (await confirmed()), 'caught up');
    },
    /** Lets it die when it meets the point next, whether it runs already or not. */
    dieAt(point: string): void {
      writeFileSync(file('die.new'), point);
      renameSync(file('die.new'), file('die'));
    },
    died: () => until(() => hasEnded, 'the service dies'),
    /** Lets the work happen while the process stands still, so that it sees all of it at once. */
    async unseen<T>(work: () => Promise<T>): Promise<T> {
      signal('SIGSTOP');
      try {
        return await work();
      } finally {
        signal('SIGCONT');
      }
    },
    /** Says it on the broker until the condition holds: nobody acknowledges a broadcast. */
    say: (text: string, isHeard: () => boolean) =>
      until(() => {
        if (!isHeard()) owner.broadcast('monitoring', Buffer.from(text));
        return isHeard();
      }, 'the request is heard'),
    isOver: () => hasEnded,
    async stop(): Promise<void> {
      signal('SIGKILL');
      await owner.close();
      await nats.stop();
    },
  };
}
