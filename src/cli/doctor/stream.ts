/** Checks the stream to which the database is replicated. */
import { type JetStreamOptions, stateOfStream } from '../../replica/jetstream.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** A server of the release before this one, 2.9.10, was seen to lose what it had acknowledged. */
const SOUND_VERSION = [2, 10] as const;

/** `options`: null when the database is not replicated. */
export async function checkStream(options: JetStreamOptions | null): Promise<Finding[]> {
  if (options === null) return [];
  const { name } = options;
  const state = await stateOfStream(options);
  if (state === null)
    return [
      failed(
        'stream',
        `the broker has none named ${name}`,
        '"sluice replica create" makes it; if it was there before, "sluice replica renew"',
      ),
    ];
  const { servers, behind, bytes, serverVersion } = state;
  const kept = servers === 1 ? 'one server keeps it' : `${servers} servers keep it`;
  const found = `${name}: ${kept}, ${(bytes / 1_000_000).toFixed(1)} MB, nats-server ${serverVersion}`;
  if (behind.length > 0)
    return [warning('stream', `${found}; away: ${behind.join(', ')}`, 'start these servers again')];
  if (servers > 1 && isOld(serverVersion))
    return [
      warning(
        'stream',
        found,
        'use a newer nats-server: this one can lose what it has acknowledged',
      ),
    ];
  return [ok('stream', found)];
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least, leastMinor] = SOUND_VERSION;
  return major < least || (major === least && minor < leastMinor);
}
