// Writes docs/scenario.schema.json and the tables of docs/simulation.md from the schema of scenarios.
import { readFileSync, writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';

const { jsonSchemaText, withTables } = (
  await runnerImport(new URL('../test/simulation/documentation.ts', import.meta.url).pathname, {
    configFile: false,
    logLevel: 'error',
  })
).module;

const page = new URL('../docs/simulation.md', import.meta.url);
writeFileSync(new URL('../docs/scenario.schema.json', import.meta.url), jsonSchemaText());
writeFileSync(page, withTables(readFileSync(page, 'utf8')));
