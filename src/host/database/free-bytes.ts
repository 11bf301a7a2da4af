/** The free space on the disk of a database. */
import { statfs } from 'node:fs/promises';
import { parseLocation } from '../../store/durability/location.ts';

/** Bytes that this user may still write there; null for a database that is not on a disk. */
export async function freeBytes(database: string): Promise<number | null> {
  const location = parseLocation(database);
  if (location.kind !== 'file') return null;
  const found = await statfs(location.path).catch(() => null);
  return found === null ? null : found.bavail * found.bsize;
}
