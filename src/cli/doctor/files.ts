/** Checks whether private files are readable by this user only, and whether there is free space on the disk. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Finding, failed, ok, warning } from './finding.ts';

const MEBIBYTE = 1_048_576;
/** With less free space than this the check fails; below ten times as much it warns. */
const LEAST_FREE = 100 * MEBIBYTE;

/** Checks the modes of these files and folders; those that do not exist are skipped. */
export function privateFiles(paths: readonly string[]): Finding[] {
  const there = [...new Set(paths)].filter((path) => existsSync(path));
  const open = process.platform === 'win32' ? [] : there.filter(isOpenToOthers);
  if (open.length === 0)
    return [ok('private files', `${there.length} files and folders are for this user alone`)];
  const commands = open.map((path) => `chmod ${statSync(path).isDirectory() ? 700 : 600} ${path}`);
  return [
    failed('private files', `open to other users: ${open.join(', ')}`, commands.join(' && ')),
  ];
}

function isOpenToOthers(path: string): boolean {
  return (statSync(path).mode & 0o077) !== 0;
}

/** Checks the free space of the disk on which `path` is or will be. */
export function freeSpace(path: string): Finding[] {
  const { bavail, bsize } = statfsSync(existing(path));
  const free = bavail * bsize;
  const found = `${Math.floor(free / MEBIBYTE)} MiB free for the database`;
  if (free < LEAST_FREE)
    return [
      failed('disk', found, 'make room: below --min-free-disk a node makes and takes no payments'),
    ];
  return [
    free < 10 * LEAST_FREE
      ? warning('disk', found, 'make room before it runs out')
      : ok('disk', found),
  ];
}

function existing(path: string): string {
  return existsSync(path) ? path : existing(dirname(path));
}
