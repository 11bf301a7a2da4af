/** The start of the path-finding service on a database that knows many channels, for benchmarks. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DEFAULT_FEE_TERMS, scheduleOf } from '../../src/protocol/fees/fee-terms.ts';
import { openServiceDatabase, type ServiceDatabase } from '../../src/services/base/database.ts';
import { openBook } from '../../src/services/pathfinding/book.ts';
import { prepareRows } from '../../src/services/pathfinding/rows.ts';
import { ownCpuMs } from './process-figures.ts';
import { addressOf, type Channel } from './scale-free.ts';

const RUNS = 5;
/** Beyond the addresses of all nodes. */
const OTHERS = 1_000_000;
const REGISTRY = addressOf(OTHERS + 1);
const TOKEN_NETWORK = addressOf(OTHERS + 2);
const TOKEN = addressOf(OTHERS + 3);
const STAMP = { chainId: 1337n, tokenNetworkRegistry: REGISTRY, ownAddress: addressOf(OTHERS + 4) };

function open(url: string): ServiceDatabase {
  const opened = openServiceDatabase(url, { ...STAMP, service: 'pathfinding' });
  if (!opened.ok) throw new Error(opened.message);
  return opened.database;
}

/** Makes the database: what the chain and both participants of each channel said. */
export function fillService(url: string, channels: readonly Channel[]): void {
  const database = open(url);
  const rows = prepareRows(database.connection);
  const timestamp = '2026-01-02T03:04:05.678901';
  database.write(() => {
    rows.addNetwork({ address: TOKEN_NETWORK, token: TOKEN });
    for (const { id: channelId, participants, capacities } of channels) {
      const [participant1, participant2] = participants;
      const [deposit1, deposit2] = capacities;
      const name = { chainId: STAMP.chainId, tokenNetwork: TOKEN_NETWORK, channelId };
      rows.addChannel({
        ...name,
        participant1,
        participant2,
        deposit1,
        deposit2,
        settleTimeout: 500n,
        withdraw1: 0n,
        withdraw2: 0n,
      });
      const schedule = scheduleOf(DEFAULT_FEE_TERMS, deposit1 + deposit2);
      for (const side of [0, 1] as const) {
        const updatingParticipant = participants[side];
        const [own, other] = side === 0 ? [deposit1, deposit2] : [deposit2, deposit1];
        rows.putCapacity({
          ...name,
          updatingParticipant,
          otherParticipant: participants[1 - side] ?? TOKEN,
          updatingNonce: 7n,
          otherNonce: 6n,
          revealTimeout: 50n,
          updatingCapacity: own,
          otherCapacity: other,
        });
        rows.putFee({ ...name, updatingParticipant, schedule, timestamp });
      }
    }
  });
  database.close();
}

/** CPU milliseconds of one start, or of reading the rows alone. */
function measure(url: string, what: string): number {
  const database = open(url);
  const before = ownCpuMs();
  if (what === 'book') openBook(prepareRows(database.connection), () => {});
  else
    for (const table of ['channels', 'capacities', 'fees'])
      database.connection.client.prepare(`SELECT * FROM ${table}`).all();
  const spent = ownCpuMs() - before;
  database.close();
  return spent;
}

/** The median of some starts (`book`) or readings (`rows`), each in a process of its own; in CPU milliseconds. */
export function medianOf(url: string, what: 'book' | 'rows'): number {
  const times = Array.from({ length: RUNS }, () => {
    const program = fileURLToPath(import.meta.url);
    const { stdout } = spawnSync(process.execPath, [program, url, what], { encoding: 'utf8' });
    return Number(stdout);
  });
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
}

const [, program, url, what] = process.argv;
if (program === fileURLToPath(import.meta.url) && url !== undefined && what !== undefined)
  console.log(measure(url, what));
