/**
 * Random tests draw the same in every run, so that a failure is the same everywhere. SLUICE_SEED=NUMBER
 * draws others, to look further: together with SLUICE_RUNS, for instance.
 */
import fc from 'fast-check';

const USUAL_SEED = 20_261_121;

fc.configureGlobal({ seed: Number(process.env['SLUICE_SEED'] ?? USUAL_SEED) });
