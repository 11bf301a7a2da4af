#!/usr/bin/env -S node --max-semi-space-size=32
/** The program `sluice`. */
import { fileURLToPath } from 'node:url';
import { call } from './process/call.ts';
import { uncaught } from './process/uncaught.ts';

process.on('uncaughtException', uncaught);
process.exit(await call(process.argv.slice(2), fileURLToPath(import.meta.url)));
