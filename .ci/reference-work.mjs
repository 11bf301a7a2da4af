/**
 * A fixed piece of work of the kinds that the tests do most, to tell a slow machine from slow tests.
 *
 *   reference-work.mjs                     prints how many milliseconds it took now
 *   reference-work.mjs judge MS SECONDS    fails when `npm test` took SECONDS and this machine, on which the work takes
 *                                          MS milliseconds, should have needed half of it
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { keccak256 } from '../dist/src/protocol/hash.js';
import { recover, sign } from '../dist/src/signer/ecdsa.js';

/** Milliseconds of this work, and seconds of `npm test`, on two quiet cores of the machine that it was set on. */
const USUAL_MS = 440;
const USUAL_SECONDS = 180;

const SIGNATURES = 2_000;
const HASHES = 40_000;
const INSERTS = 60_000;

function work() {
  const key = new Uint8Array(32).fill(3);
  let digest = new Uint8Array(32).fill(5);
  for (let left = SIGNATURES; left > 0; left--) recover(digest, sign(digest, key));
  for (let left = HASHES; left > 0; left--) digest = keccak256(digest);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-reference-'));
  const database = new Database(join(folder, 'rows.db'));
  database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)');
  const insert = database.prepare('INSERT INTO rows (text) VALUES (?)');
  database.transaction(() => {
    for (let left = INSERTS; left > 0; left--) insert.run(`row ${left} of a table`);
  })();
  database.close();
  rmSync(folder, { recursive: true });
}

const [mode, ms, seconds] = process.argv.slice(2);
if (mode === 'judge') {
  const expected = (USUAL_SECONDS * Number(ms)) / USUAL_MS;
  const text = `npm test took ${seconds} s; on this machine it should take ${Math.round(expected)} s`;
  console.log(`== ${text}`);
  process.exit(Number(seconds) > 2 * expected ? 1 : 0);
}
const begun = performance.now();
work();
console.log(Math.round(performance.now() - begun));
