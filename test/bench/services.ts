/**
 * What CPU time the path-finding service takes until it knows 50,000 channels of 10,000 nodes from its database,
 * with what both sides of each said of it; beside it the bare reading of the same rows.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_FEE_TERMS, scheduleOf } from '../../src/protocol/fee-terms.ts';
import { openDatabase, type ServiceDatabase } from '../../src/services/base/database.ts';
import { openBook } from '../../src/services/pathfinding/book.ts';
import { prepareRows } from '../../src/services/pathfinding/rows.ts';
import { report, round } from './report.ts';
import { addressOf, type Channel, channelsOfNetwork, NODES } from './scale-free.ts';

const RUNS = 5;
const REGISTRY = addressOf(NODES + 1);
const TOKEN_NETWORK = addressOf(NODES + 2);
const TOKEN = addressOf(NODES + 3);
const STAMP = { chainId: 1337n, tokenNetworkRegistry: REGISTRY, ownAddress: addressOf(NODES + 4) };

function open(url: string): ServiceDatabase {
  const opened = openDatabase(url, { ...STAMP, service: 'pathfinding' });
  if (!opened.ok) throw new Error(opened.message);
  return opened.database;
}

/** What the chain and both participants of each channel said. */
function fill(url: string, channels: readonly Channel[]): void {
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

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Runs in a process of its own: prints the CPU milliseconds of one start, or of reading the rows alone. */
function measure(url: string, what: string): void {
  const database = open(url);
  const before = cpuMs();
  if (what === 'book') openBook(prepareRows(database.connection), () => {});
  else
    for (const table of ['channels', 'capacities', 'fees'])
      database.connection.client.prepare(`SELECT * FROM ${table}`).all();
  console.log(cpuMs() - before);
  database.close();
}

function medianOf(url: string, what: string): number {
  const times = Array.from({ length: RUNS }, () => {
    const program = fileURLToPath(import.meta.url);
    const { stdout } = spawnSync(process.execPath, [program, url, what], { encoding: 'utf8' });
    return Number(stdout);
  });
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
}

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-services-'));
  try {
    const url = `file:${join(folder, 'pathfinding.db')}`;
    const channels = channelsOfNetwork();
    fill(url, channels);
    const reading = round(medianOf(url, 'rows'));
    const value = round(medianOf(url, 'book'));
    const metric = `start with ${channels.length} channels, beside reading the rows`;
    report('services', [{ metric, value, unit: 'ms of CPU', reference: reading }]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [, , url, what] = process.argv;
if (url !== undefined && what !== undefined && url.startsWith('file:')) measure(url, what);
else main();
