// Writes docs/scenario.schema.json and the tables of docs/simulation.md from the built schema of scenarios.
import { readFileSync, writeFileSync } from 'node:fs';
import { jsonSchemaText, withTables } from '../dist/src/simulation/scenario/documentation.js';

const page = new URL('../docs/simulation.md', import.meta.url);
writeFileSync(new URL('../docs/scenario.schema.json', import.meta.url), jsonSchemaText());
writeFileSync(page, withTables(readFileSync(page, 'utf8')));
