/** How a client of a message broker proves who it is, and which brokers it trusts. */
import { type ConnectionOptions, credsAuthenticator } from 'nats';

/** What is absent is not used. Certificates and their keys are PEM texts. */
export type NatsAccess = {
  /** Content of a NATS credentials file: JWT and seed. */
  credentials?: string;
  login?: { user: string; pass: string };
  /** The only authorities whose certificates are accepted; absent: those that the machine knows. */
  authority?: string;
  /** The certificate that this client shows under TLS. */
  certificate?: { cert: string; key: string };
};

/**
 * The options of a connection. `mustEncrypt`: it uses TLS even without certificates here. Throws on credentials that
 * cannot be read.
 */
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
