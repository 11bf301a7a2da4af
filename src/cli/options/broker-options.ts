/** The options for joining the broker of --nats: credentials and certificates, each in a file. */
import { optional, type Values } from './settings.ts';
import { text } from './values.ts';

export const BROKER_FILES = {
  creds: optional(
    '--nats-creds <file>',
    'NATS credentials file (.creds) for the broker (default: none)',
    text,
  ),
  user: optional(
    '--nats-user <name>',
    'user at the broker, with --nats-password-file (default: none)',
    text,
  ),
  passwordFile: optional(
    '--nats-password-file <file>',
    'file with the password of --nats-user',
    text,
  ),
  authority: optional(
    '--nats-ca <file>',
    'PEM file of the authority that has signed the certificate of the broker (default: those of this machine)',
    text,
  ),
  certificate: optional(
    '--nats-cert <file>',
    'PEM file of a certificate to show the broker, with --nats-key (default: none)',
    text,
  ),
  key: optional('--nats-key <file>', 'PEM file of the private key of --nats-cert', text),
};

export type BrokerFiles = Values<typeof BROKER_FILES>;
