/** How long the certificates last that a program shows to the broker, or trusts. It reads them anew for each connection. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Clock } from '../basics/environment.ts';
import type { NamedFile } from './database/other-files.ts';

const DAY_MS = 86_400_000;
/** Somebody has to make a new one, and bring it here. */
const WARN_MS = 21 * DAY_MS;
const LOOK_MS = 60_000;

export type Certificates = {
  /** Which of them end soon, and what to do, for people; null: none. Reads the files once a minute at most. */
  trouble(): string | null;
};

/** Files without a certificate are passed over. */
export function createCertificates(
  files: readonly NamedFile[],
  { now, elapsed }: Pick<Clock, 'now' | 'elapsed'>,
): Certificates {
  let found: string | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function textOf({ what, path }: NamedFile): string[] {
    const end = endOf(path);
    if (end === null || end - now() > WARN_MS) return [];
    const when = new Date(end).toISOString().slice(0, 10);
    const verb = end > now() ? 'ends' : 'has ended';
    return [`${what} (${basename(path)}) holds a certificate that ${verb} on ${when}.`];
  }

  return {
    trouble() {
      if (elapsed() - lookedAt < LOOK_MS) return found;
      lookedAt = elapsed();
      const texts = files.flatMap(textOf);
      found = texts.length === 0 ? null : texts.join(' ');
      return found;
    },
  };
}

/**
 * In milliseconds since 1970, the end of what the file is about; null when it holds no certificate. That is the first to end of
 * an own one and what leads to it, or, of several authorities, the one that lasts longest.
 */
function endOf(path: string): number | null {
  const all = certificatesIn(path);
  const ends = all.map(({ validTo }) => Date.parse(validTo));
  if (ends.length === 0) return null;
  return all.every(({ ca }) => ca) ? Math.max(...ends) : Math.min(...ends);
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function certificatesIn(path: string): X509Certificate[] {
  try {
    // A secret may have come through a pipe or a terminal: to read that again would stop the process.
    if (!statSync(path).isFile()) return [];
    return (readFileSync(path, 'latin1').match(BLOCK) ?? []).flatMap(certificateIn);
  } catch {
    // What cannot be read is told by whoever needs it.
    return [];
  }
}

function certificateIn(block: string): X509Certificate[] {
  try {
    return [new X509Certificate(block)];
  } catch {
    return [];
  }
}
