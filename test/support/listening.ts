/** The sockets on which processes of this machine listen, out of `/proc`: none are found elsewhere than on Linux. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type Listening = { pid: number; host: string; port: number };

const LISTENS = '0A';

export function listeningSockets(pids: readonly number[]): Listening[] {
  const places = new Map([...placesIn('/proc/net/tcp'), ...placesIn('/proc/net/tcp6')]);
  return pids.flatMap((pid) =>
    inodesOf(pid).flatMap((inode) => {
      const place = places.get(inode);
      return place === undefined ? [] : [{ pid, ...place }];
    }),
  );
}

/** The processes whose parent is `pid`, and theirs. */
export function descendantsOf(pid: number): number[] {
  const children = namesIn('/proc').filter((name) => /^\d+$/.test(name) && isChild(name, pid));
  return children.flatMap((child) => [Number(child), ...descendantsOf(Number(child))]);
}

function isChild(name: string, parent: number): boolean {
  const stat = textOf(`/proc/${name}/stat`);
  return Number(/^\d+ \(.*\) \S (\d+) /s.exec(stat)?.[1]) === parent;
}

function* placesIn(table: string): Generator<[inode: string, { host: string; port: number }]> {
  for (const line of textOf(table).split('\n').slice(1)) {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state === LISTENS)
      yield [inode, { host: hostOf(address), port: Number.parseInt(port, 16) }];
  }
}

/** Words of four bytes, each in the order of the machine. */
function hostOf(address: string): string {
  const words = address.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, 'hex').reverse()]);
  if (bytes.length === 4) return bytes.join('.');
  const groups = bytes.flatMap((byte, at) => (at % 2 ? [(bytes[at - 1] ?? 0) * 256 + byte] : []));
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname;
}

function inodesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return namesIn(folder).flatMap((fd) => {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`))?.[1];
    return inode === undefined ? [] : [inode];
  });
}

/** A process may end, and a file be closed, while they are read; elsewhere than on Linux there are none. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
