/** Asks every row of the table of a devnet on the ground, in order: some rows build on earlier ones. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { check } from './check.ts';
import { type Devnet, startDevnet } from './devnet.ts';
import type { Ground } from './ground.ts';
import { prepare } from './prepare.ts';
import { TABLE } from './table.ts';

export function askAll(startGround: () => Ground): void {
  let ground: Ground;
  let devnet: Devnet | null = null;
  beforeAll(async () => {
    ground = startGround();
    devnet = await startDevnet(ground);
    await prepare(devnet);
  });
  // Other tests of this process must not live in virtual time, whatever has failed here.
  afterAll(() => Promise.resolve(devnet?.stop()).finally(() => ground.stop()));
  function present(): Devnet {
    if (devnet === null) throw new Error('the devnet did not start');
    return devnet;
  }

  for (const [resource, rows] of Object.entries(TABLE))
    describe(resource, () => {
      it.each(rows.map((row) => [row.endpoint, row.status, row.condition, row] as const))(
        '%s answers %i when %s',
        async (_endpoint, _status, _condition, row) => check(present(), row),
      );
    });
}
