#!/usr/bin/env -S node --max-semi-space-size=32
/** The program `sluice`. */
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { call } from './call.ts';
import { endUnprinted } from './process/terminal.ts';
import { uncaught } from './process/uncaught.ts';

// V8 would make objects of a payment where it looks for unused memory last, since others like them lived long: each keeps
// alive what it names, and three times as much is copied for nothing.
setFlagsFromString('--no-allocation-site-pretenuring');
// What runs once a commit would be compiled well only after some ten thousand payments: a third of them will do.
setFlagsFromString('--interrupt-budget=20000');
process.on('uncaughtException', uncaught);
process.stdout.once('error', endUnprinted);
const code = await call(process.argv.slice(2), fileURLToPath(import.meta.url));
const end = () => process.exit(code);
// What was printed is read, or cannot be.
setImmediate(() => (process.stdout.writableLength === 0 ? end() : process.stdout.write('', end)));
