/** Runs a private message broker on this machine: nats-server, when it is installed. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Ending, startChild } from '../base/child.ts';

export type Broker = { url: string; pid: number; ended: Promise<Ending>; stop(): Promise<void> };

/** Where system packages install it, even if they are not in the user's PATH. */
const FURTHER_PLACES = ['/usr/sbin', '/usr/local/bin'];

/** Path of the program, or null when it is not installed. */
export function findNatsServer(path = process.env['PATH'] ?? ''): string | null {
  const places = [...path.split(delimiter).filter((place) => place !== ''), ...FURTHER_PLACES];
  return places.map((place) => join(place, 'nats-server')).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts the program on a free loopback port and waits until it takes clients. */
export async function startBroker(command: string): Promise<Broker> {
  const child = await startChild({
    name: 'the message broker (nats-server)',
    command,
    args: ['--addr', '127.0.0.1', '--port', '-1'],
  });
  const [, port] = await child.line(/Listening for client connections on \S+:(\d+)/);
  await child.line(/Server is ready/);
  const { pid, ended, stop } = child;
  return { url: `nats://127.0.0.1:${port}`, pid, ended, stop };
}
