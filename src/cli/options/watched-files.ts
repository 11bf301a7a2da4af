/** The files that a node reads at its start only: when one is gone, nothing shows it before the next start. */
import type { Address } from '../../basics/hex.ts';
import type { NamedFile } from '../../host/database/other-files.ts';
import { listKeystore } from '../../signer/keystore.ts';
import { dataFolder } from '../process/folders.ts';
import type { BrokerFiles } from './broker-options.ts';
import { keystoreFolder } from './key.ts';
import type { NodeOptions } from './node-options.ts';

type Files = Pick<
  NodeOptions,
  'key' | 'contractsFile' | 'apiTokenFile' | 'namesFile' | 'webhook' | 'database' | 'brokerFiles'
>;

/** `own`: the address of the key that was opened. */
export async function watchedFiles(options: Files, own: Address): Promise<NamedFile[]> {
  const { key, contractsFile, apiTokenFile, namesFile, webhook, database } = options;
  const named = [
    ['The file of the key', await keyFileOf(key.keystorePath, own)],
    ['The file of --password-file', key.passwordFile],
    ['The file of --contracts', contractsFile],
    ['The file of --api-token-file', apiTokenFile],
    ['The file of --names', namesFile],
    ['The file of --webhook-secret-file', webhook.secretFile],
    ['The folder of the data', database === null ? dataFolder() : null],
  ] as const;
  return [...present(named), ...filesForBroker(options.brokerFiles)];
}

/** Those with which the broker is reached. */
export const filesForBroker = (files: BrokerFiles): NamedFile[] =>
  present([
    ['The file of --nats-ca', files.authority],
    ['The file of --nats-cert', files.certificate],
    ['The file of --nats-key', files.key],
    ['The file of --nats-creds', files.creds],
    ['The file of --nats-password-file', files.passwordFile],
  ]);

const present = (named: readonly (readonly [what: string, path: string | null])[]): NamedFile[] =>
  named.flatMap(([what, path]) => (path === null ? [] : [{ what, path }]));

/** Null when it cannot be told which file holds the key. */
async function keyFileOf(given: string | null, own: Address): Promise<string | null> {
  const listed = await listKeystore(keystoreFolder(given));
  if (!listed.ok) return null;
  const [silent, ...others] = listed.value.filter(({ address }) => address === null);
  const named = listed.value.find(({ address }) => address === own);
  return named?.file ?? (others.length === 0 ? (silent?.file ?? null) : null);
}
