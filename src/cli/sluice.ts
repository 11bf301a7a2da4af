#!/usr/bin/env -S node --max-semi-space-size=32
/** The program `sluice`. */
import { fileURLToPath } from 'node:url';
import { call } from './call.ts';
import { endUnprinted } from './process/terminal.ts';
import { uncaught } from './process/uncaught.ts';

process.on('uncaughtException', uncaught);
process.stdout.once('error', endUnprinted);
const code = await call(process.argv.slice(2), fileURLToPath(import.meta.url));
const end = () => process.exit(code);
// What was printed is read, or cannot be.
setImmediate(() => (process.stdout.writableLength === 0 ? end() : process.stdout.write('', end)));
