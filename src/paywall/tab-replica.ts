/** The tabs of a paywall in a stream at the broker, so that a second paywall can go on with them. */
import type { Log } from '../basics/environment.ts';
import { fromHex, isHexOf } from '../basics/hex.ts';
import { messageOf } from '../basics/message-of.ts';
import { refusal as refused, type Started, started } from '../host/base/refusal.ts';
import { followOwner, type StandingBy, type StoodBy } from '../host/replica/follow-owner.ts';
import { openReplica, type ReplicaPlace } from '../host/replica/open-replica.ts';
import type { ReplicaWords } from '../host/replica/replica-words.ts';
import { serve } from '../http/server.ts';
import type { NatsAccess } from '../partner/nats-access.ts';
import { recordKeys } from '../replica/record.ts';
import { type BookReplica, tabsStamp } from '../tabs/book.ts';
import { refusal } from './refusal.ts';
import type { Seller } from './seller.ts';

export type TabStream = {
  /** Its name at the broker, see `isStreamName`. */
  name: string;
  /** The broker, as `parseNatsUrl` reads it. */
  nats: string;
  access?: () => NatsAccess;
  /** Of this program. */
  version: string;
};
/** Whose place is taken; see `ReplicaConfig`. */
export type Taking = { takesFrom: number | null; isOrdered: boolean };
type Parts = {
  stream: TabStream;
  seller: Seller;
  /** The key of the offers, hexadecimal: both paywalls have it. */
  key: string;
  /** The database of the tabs. */
  file: string;
  log: Log;
};
export type OpenTabReplica = { copy: BookReplica; start(): void; close(): Promise<void> };

const WORDS: ReplicaWords = {
  who: 'paywall',
  away: {
    sync: 'the stream of the tabs is away: until it is back, no tab is opened and none is drawn from',
    async: 'the stream of the tabs is away',
  },
  anew: 'Make sure that no other paywall has gone on from it; then start this one without --replicate: it says how to go on, and a stream of another name can be made for it',
  rebuild: 'Start it with --standby: it builds the tabs from the stream',
  foreign:
    'To go on with the tabs of the stream, give --standby and a new --tab-file; for these tabs make a stream of another name with "sluice replica create"',
  keys: 'by the key of these offers, for this seller: check --replicate, and copy the --key-file of the other paywall',
};

/** Of the seller's tabs. */
export const stampOf = ({ network, address }: Seller) =>
  tabsStamp({ chainId: BigInt(network.split(':')[1] ?? ''), payTo: address });

function placeOf({ stream, seller, key, log }: Parts): ReplicaPlace {
  const { name, nats, access } = stream;
  const secret = `0x${key.toLowerCase()}`;
  if (!isHexOf(secret, 32)) throw new Error('the key of the offers has no 32 bytes');
  const stamp = stampOf(seller);
  return {
    broker: {
      ...{ url: nats, name, inbox: seller.address.toLowerCase() },
      ...(access === undefined ? {} : { access }),
      report: (problem) => log.warn({ stream: name }, problem),
    },
    keys: recordKeys(fromHex(secret), `tabs ${stamp.chainId} ${seller.address}`),
    ...{ stamp, words: WORDS },
  };
}

/** Takes the stream for this process. `onTaken`: called once, when another paywall has taken it since. */
export async function openTabReplica(
  parts: Parts,
  taking: Taking,
  onTaken: (reason: string, isOrdered: boolean) => void,
): Promise<Started<OpenTabReplica>> {
  const { stream, file, log } = parts;
  const taken = new AbortController();
  const opened = await openReplica({
    ...placeOf(parts),
    config: { stream: stream.name, mode: 'sync', ...taking },
    ...{ database: `file:${file}`, version: stream.version, log },
    onEnd(reason, isOrdered) {
      taken.abort(new Error(reason));
      onTaken(reason, isOrdered);
    },
  });
  if (!opened.ok) return opened;
  const { replica, trouble, start, close, tellServing } = opened.value;
  tellServing(() => true);
  const copy = { replica, isAway: () => trouble() !== null, taken: taken.signal };
  return started({ copy, start, close });
}

type Address = { host: string; port: number };

/** Follows the tabs of another paywall until its place is to be taken. Meanwhile calls are answered with 503. */
export async function followTabs(
  parts: Parts,
  waiting: StandingBy,
  { host, port }: Address,
): Promise<StoodBy> {
  const answer = () =>
    refusal(503, 'standby', 'Another paywall sells here; this one waits to take its place.');
  // One that could not serve must not take the place of one that can.
  const server = await serve({ app: { fetch: answer }, host, port, allowPublic: true }).catch(
    (error: unknown) =>
      refused('api_address', `${host}:${port} cannot be served: ${messageOf(error)}`),
  );
  if ('problem' in server) return server;
  try {
    const { file, log } = parts;
    return await followOwner({ ...placeOf(parts), ...waiting, path: file, log });
  } finally {
    await server.close();
  }
}
