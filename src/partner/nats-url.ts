import type { ConnectionOptions } from 'nats';

/** The part of NATS's options that an address text stands for. */
export type NatsServers = Pick<ConnectionOptions, 'user' | 'pass' | 'token'> & {
  servers: string[];
  /** Whether an unencrypted connection is out of the question. */
  tls: boolean;
};

/**
 * Reads `nats://host:port` or `tls://user:password@host:port`, several with commas; a user without a
 * password is a token. Null when it is anything else. NATS's own client leaves credentials out.
 */
export function parseNatsUrl(text: string): NatsServers | null {
  const servers: string[] = [];
  let login: Pick<NatsServers, 'user' | 'pass' | 'token'> = {};
  let tls = false;
  for (const part of text.split(',')) {
    const url = urlOf(part.trim());
    if (url === null) return null;
    if (url.protocol === 'tls:') tls = true;
    servers.push(`${url.hostname}:${url.port === '' ? '4222' : url.port}`);
    if (url.username !== '') login = loginOf(url);
  }
  return { servers, tls, ...login };
}

function urlOf(text: string): URL | null {
  const full = text.includes('://') ? text : `nats://${text}`;
  if (!URL.canParse(full)) return null;
  const url = new URL(full);
  const known = url.protocol === 'nats:' || url.protocol === 'tls:';
  return known && url.hostname !== '' && isDecodable(url) ? url : null;
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function loginOf({ username, password }: URL): Pick<NatsServers, 'user' | 'pass' | 'token'> {
  const user = decodeURIComponent(username);
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) };
}
