/** The folders for this user's files on this system. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Session, session } from './session.ts';

type Place = { platform: NodeJS.Platform; home: string; environment: Session['environment'] };

function here(): Place {
  const { environment } = session();
  const home = process.platform === 'win32' ? homedir() : (environment['HOME'] ?? homedir());
  return { platform: process.platform, home, environment };
}

/** The folder for databases and keys. */
export function dataFolder({ platform, home, environment }: Place = here()): string {
  const given = environment['XDG_DATA_HOME'];
  if (given !== undefined && given !== '') return join(given, 'sluice');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'sluice');
  if (platform === 'win32')
    return join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'sluice');
  return join(home, '.local', 'share', 'sluice');
}

/** The folder for lock files, which must be the same for every node that this user runs. */
export function stateFolder(place: Place = here()): string {
  const { platform, home, environment } = place;
  const given = environment['XDG_STATE_HOME'];
  if (given !== undefined && given !== '') return join(given, 'sluice');
  if (platform === 'darwin' || platform === 'win32') return join(dataFolder(place), 'state');
  return join(home, '.local', 'state', 'sluice');
}
