/** Tests go on for as long as there is time: after SLUICE_TESTS_UNTIL (seconds since 1970) none begins. */
import { beforeEach } from 'vitest';

const until = Number(process.env['SLUICE_TESTS_UNTIL'] ?? Number.POSITIVE_INFINITY);

beforeEach(({ skip }) => {
  if (Date.now() / 1_000 > until) skip('no time was left for it');
});
