/** `sluice replica`: the stream to which a node's database is replicated. */
import { Command } from 'commander';
import { BROKER_SETTINGS, brokerFilesOf } from './options/broker-access.ts';
import { ADDRESS, KEYSTORE_PATH, keyChoiceOf, PASSWORD_FILE } from './options/key-choice.ts';
import { NODE_SETTINGS } from './options/node-choices.ts';
import * as node from './options/node-settings.ts';
import {
  declare,
  defaulting,
  type Read,
  readerOf,
  required,
  type Setting,
} from './options/settings.ts';
import * as values from './options/values.ts';
import { act } from './process/action.ts';
import { LateCommand } from './process/late-command.ts';

const STREAM = required('--replicate <stream>', 'name of the stream', values.streamName);
const NATS = required('--nats <url>', 'message broker with JetStream', values.natsUrl);
const REPLICAS = defaulting(
  '--replicas <n>',
  'servers of the broker that keep the stream: 1, 3 or 5',
  values.oneOf(['1', '3', '5']),
  '3',
);
const BROKER = [NATS, ...BROKER_SETTINGS, STREAM];
const KEY = [KEYSTORE_PATH, ADDRESS, PASSWORD_FILE];
const CHAIN = [node.ETH_RPC_ENDPOINT, node.CONTRACTS, node.NETWORK_ID];
const READER = [...BROKER, ...KEY, ...CHAIN];

export function replicaCommand(): Command {
  return new Command('replica')
    .description('the stream to which the database of a node is replicated')
    .addCommand(
      add('create', 'make the stream at the broker', [...BROKER, REPLICAS], async (read) => {
        const [broker, replicas] = [brokerChoiceOf(read), Number(read(REPLICAS))];
        const { create } = await import('./run/replica.ts');
        return create(broker, replicas);
      }),
    )
    .addCommand(
      add('status', 'how far the node and its standbys have come', READER, async (read) => {
        const choices = readerChoicesOf(read);
        const { status } = await import('./run/replica.ts');
        return status(choices);
      }),
    )
    .addCommand(
      add('takeover', 'let a standby take the place of the node', READER, async (read) => {
        const choices = readerChoicesOf(read);
        const { takeover } = await import('./run/replica.ts');
        return takeover(choices);
      }),
    )
    .addCommand(
      add(
        'renew',
        'begin the stream anew when the broker has lost it',
        [...READER, REPLICAS],
        async (read) => {
          const [choices, replicas] = [readerChoicesOf(read), Number(read(REPLICAS))];
          const { renew } = await import('./run/replica.ts');
          return renew(choices, replicas);
        },
      ),
    )
    .addCommand(
      add(
        'restore',
        'build the database of the node from the stream',
        [...READER, node.DATABASE],
        async (read) => {
          const [choices, database] = [readerChoicesOf(read), read(node.DATABASE)];
          const { restoreDatabase } = await import('./run/replica.ts');
          return restoreDatabase(choices, database);
        },
      ),
    );
}

function add(
  name: string,
  text: string,
  shown: Setting<unknown>[],
  work: (read: Read) => Promise<number>,
): Command {
  const command = new LateCommand(name).description(text);
  return act(declare(command, shown, NODE_SETTINGS), () => work(readerOf(command)));
}

function brokerChoiceOf(read: Read) {
  return { url: read(NATS), files: brokerFilesOf(read), name: read(STREAM) };
}

/** Everything that reads the stream needs the key, and the chain and contracts for which it is used. */
function readerChoicesOf(read: Read) {
  return {
    key: keyChoiceOf(read),
    rpcUrl: read(node.ETH_RPC_ENDPOINT),
    networkId: read(node.NETWORK_ID),
    contractsFile: read(node.CONTRACTS),
    broker: brokerChoiceOf(read),
  };
}
