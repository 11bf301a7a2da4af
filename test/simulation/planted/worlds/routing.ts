/** Worlds in which the defects of `../routing.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const ROUTING_WORLDS: Readonly<Record<string, Part>> = {};
