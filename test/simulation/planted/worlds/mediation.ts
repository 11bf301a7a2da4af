/** Worlds in which the defects of `../mediation.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const MEDIATION_WORLDS: Readonly<Record<string, Part>> = {};
