/** How a client of a message broker shows who it is, and which brokers it believes. */
import { type ConnectionOptions, credsAuthenticator } from 'nats';

/** What is absent is not used. Certificates and their keys are PEM texts. */
export type NatsAccess = {
  /** Content of a NATS credentials file: JWT and seed. */
  credentials?: string;
  login?: { user: string; pass: string };
  /** The only authorities whose certificates are taken; absent: those that the machine knows. */
  authority?: string;
  /** What this client shows of itself under TLS. */
  certificate?: { cert: string; key: string };
};

/** `mustEncrypt`: also without any certificate of one's own. Throws on credentials that cannot be read. */
export function accessOptions(access: NatsAccess, mustEncrypt: boolean): ConnectionOptions {
  const { credentials, login, authority, certificate } = access;
  const needsTls = mustEncrypt || authority !== undefined || certificate !== undefined;
  const ca = authority === undefined ? {} : { ca: authority };
  return {
    ...login,
    ...(needsTls ? { tls: { ...ca, ...certificate } } : {}),
    ...(credentials === undefined
      ? {}
      : { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
  };
}
