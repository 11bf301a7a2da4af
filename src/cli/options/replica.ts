/** The options of `sluice replica`. */
import * as v from 'valibot';
import { NODE_OPTIONS } from './node-options.ts';
import { defaulting, required, type Values } from './settings.ts';
import { natsUrl, oneOf, streamName } from './values.ts';

/** `name`: that of the stream. */
const BROKER = {
  url: required('--nats <url>', 'message broker with JetStream', natsUrl),
  files: NODE_OPTIONS.brokerFiles,
  name: required('--replicate <stream>', 'name of the stream', streamName),
};
export type BrokerChoice = Values<typeof BROKER>;

/** Everything that reads the stream needs the key, and the chain and contracts for which it is used. */
export const READER_OPTIONS = {
  broker: BROKER,
  key: NODE_OPTIONS.key,
  rpcUrl: NODE_OPTIONS.rpcUrl,
  contractsFile: NODE_OPTIONS.contractsFile,
  networkId: NODE_OPTIONS.networkId,
};
export type ReaderChoice = Values<typeof READER_OPTIONS>;

const REPLICAS = defaulting(
  '--replicas <n>',
  'servers of the broker that keep the stream: 1, 3 or 5',
  v.pipe(oneOf(['1', '3', '5']), v.transform(Number)),
  '3',
);

export const CREATE_OPTIONS = { broker: BROKER, replicas: REPLICAS };
export const RENEW_OPTIONS = { reader: READER_OPTIONS, replicas: REPLICAS };
export const RESTORE_OPTIONS = { reader: READER_OPTIONS, database: NODE_OPTIONS.database };
