/** Worlds in which the defects of `../messages.ts` show. */
import type { Part } from '../../../../src/simulation/run/small-scenario.ts';

export const MESSAGE_WORLDS: Readonly<Record<string, Part>> = {};
