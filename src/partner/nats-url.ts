import type { ConnectionOptions } from 'nats';

/** The NATS options that are read out of the text of an address. */
export type NatsServers = Pick<ConnectionOptions, 'user' | 'pass' | 'token'> & {
  servers: string[];
  /** Whether the connection must be encrypted. */
  tls: boolean;
};

/**
 * Reads `nats://host:port` or `tls://user:password@host:port`, several with commas; a user without a password is a
 * token. Null when the text is anything else. NATS's own client ignores credentials in an address.
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
