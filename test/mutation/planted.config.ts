/** The tests of `test/vitest.config.ts` with the planted defect SLUICE_PLANTED in the source that they load. */
import { relative } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import { PLANTED } from '../simulation/planted/list.ts';
import { patched } from '../simulation/planted/patch.ts';
import suite from '../vitest.config.ts';

const root = new URL('../..', import.meta.url).pathname;
const planted = PLANTED.find(({ id }) => id === process.env['SLUICE_PLANTED']);

export default mergeConfig(
  suite,
  defineConfig({
    plugins: [
      {
        name: 'planted',
        enforce: 'pre',
        transform(code, id) {
          const file = relative(root, id);
          const isIn = planted?.edits.some((edit) => edit.file === file) === true;
          return isIn ? patched(code, file, planted) : null;
        },
      },
    ],
    // One failure is enough, and what fails after its test is a failure, too.
    test: { bail: 1, reporters: ['dot'] },
  }),
);
