/** Asks every row of the table of one devnet, in order: some rows build on earlier ones. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { check } from './check.ts';
import type { Devnet } from './devnet.ts';
import { prepare } from './prepare.ts';
import { TABLE } from './table.ts';

export function askAll(start: () => Promise<Devnet>): void {
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await start();
    await prepare(devnet);
  });
  afterAll(() => devnet?.stop());

  for (const [resource, rows] of Object.entries(TABLE))
    describe(resource, () => {
      it.each(rows.map((row) => [row.endpoint, row.status, row.condition, row] as const))(
        '%s answers %i when %s',
        async (_endpoint, _status, _condition, row) => check(devnet, row),
      );
    });
}
