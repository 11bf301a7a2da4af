/** Reads the database of a process that is running. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';

/**
 * Reads a copy: a closed connection of this process lives on until memory is collected. Until then it keeps the other
 * process from clearing its log, and what is read after that one has put another file into the place is damaged.
 */
export function readingCopy<T>(file: string, read: (client: Libsql.Database) => T): T {
  return withCopy(file, (path) => {
    const client = new Libsql(path);
    try {
      return read(client);
    } finally {
      client.close();
    }
  });
}

/** What `use` answers about a copy of the database `file`, which may be in use. */
export function withCopy<T>(file: string, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  try {
    return use(copied(file, join(folder, 'node.db')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function copied(file: string, target: string): string {
  for (;;) {
    const { mtimeMs } = statSync(file);
    // By another process: to open and close a file gives up the locks of a node that this process runs.
    for (const part of ['', '-wal'])
      if (existsSync(file + part)) execFileSync('cp', [file + part, target + part]);
    // Else the log was brought into the database between the two copies.
    if (statSync(file).mtimeMs === mtimeMs) return target;
  }
}
