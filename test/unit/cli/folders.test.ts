import { describe, expect, it } from 'vitest';
import { dataFolder, stateFolder } from '../../../src/cli/process/folders.ts';

describe('the folders of a user', () => {
  it.each([
    ['linux', {}, '/home/a/.local/share/sluice', '/home/a/.local/state/sluice'],
    ['linux', { XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s' }, '/d/sluice', '/s/sluice'],
    [
      'linux',
      { XDG_DATA_HOME: '', XDG_STATE_HOME: '' },
      '/home/a/.local/share/sluice',
      '/home/a/.local/state/sluice',
    ],
    [
      'darwin',
      {},
      '/home/a/Library/Application Support/sluice',
      '/home/a/Library/Application Support/sluice/state',
    ],
  ] as const)('on %s with %o are %s and %s', (platform, environment, data, state) => {
    const place = { platform, home: '/home/a', environment: { ...environment } };
    expect([dataFolder(place), stateFolder(place)]).toEqual([data, state]);
  });
});
