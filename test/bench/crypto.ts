/** Signing, recovering and hashing, beside what viem does in the same run, and lines of the wire; per second of CPU time. */
import { recoverAddress, keccak256 as viemKeccak } from 'viem';
import { sign as viemSign } from 'viem/accounts';
import { type Hex, toHex } from '../../src/basics/hex.ts';
import { keccak256, personalHash } from '../../src/protocol/hash.ts';
import { bindingKind, recover, sign } from '../../src/signer/ecdsa.ts';
import { wasmCurve } from '../../src/signer/wasm.ts';
import { LINE_WORK } from './lines.ts';
import { type Measured, report, round } from './report.ts';

const SLICE_MICROSECONDS = 200_000;
const SLICES = 5;

type Work = (turn: number) => unknown;

/** Runs of `work` in one slice, per second of this process's CPU time. */
async function slice(work: Work): Promise<number> {
  const before = process.cpuUsage();
  let turns = 0;
  for (;;) {
    for (let inner = 0; inner < 16; inner++) await work(turns++);
    const { user, system } = process.cpuUsage(before);
    if (user + system >= SLICE_MICROSECONDS) return (turns * 1e6) / (user + system);
  }
}

/** Medians of slices that take turns, so that a busy moment of the machine hits both alike. */
async function compare(metric: string, ours: Work, theirs: Work): Promise<Measured> {
  await slice(ours);
  await slice(theirs);
  const rates: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let turn = 0; turn < SLICES; turn++) {
    rates.ours.push(await slice(ours));
    rates.theirs.push(await slice(theirs));
  }
  const [value, reference] = [median(rates.ours), median(rates.theirs)];
  return { metric, value: round(value), unit: 'per CPU second', reference: round(reference) };
}

/** The work of lines, with nothing to compare with. */
async function lines(): Promise<Measured[]> {
  const all: Measured[] = [];
  for (const [metric, work] of Object.entries(LINE_WORK)) {
    await slice(work);
    const rates: number[] = [];
    for (let turn = 0; turn < SLICES; turn++) rates.push(await slice(work));
    all.push({ metric, value: round(median(rates)), unit: 'per CPU second' });
  }
  return all;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const key = new Uint8Array(32).fill(3);
const privateKey = toHex(key);
const digests = Array.from({ length: 256 }, (_, turn) =>
  personalHash(new Uint8Array(200).fill(turn)),
);
const signed = digests.map((digest) => {
  const signature = sign(digest, key);
  const hex: { hash: Hex; signature: Hex } = { hash: toHex(digest), signature: toHex(signature) };
  return { digest, signature, hex };
});

function at(turn: number) {
  const found = signed[turn % signed.length];
  if (found === undefined) throw new Error('there are 256');
  return found;
}

function recoveredWithout({ digest, signature }: ReturnType<typeof at>) {
  const parity = signature[64] === 28 ? 1 : 0;
  return wasmCurve.recoverKey(digest, signature.subarray(0, 64), parity);
}

async function hashes(bytes: number): Promise<Measured> {
  const data = new Uint8Array(bytes).fill(1);
  const text = toHex(data);
  return compare(
    `keccak256 of ${bytes} bytes`,
    () => keccak256(data),
    () => viemKeccak(text),
  );
}

console.log(`secp256k1: ${bindingKind()}; the reference is viem`);
report('crypto', [
  await compare(
    'sign a digest',
    (turn) => sign(at(turn).digest, key),
    (turn) => viemSign({ hash: at(turn).hex.hash, privateKey, to: 'hex' }),
  ),
  await compare(
    'recover an address',
    (turn) => recover(at(turn).digest, at(turn).signature),
    (turn) => recoverAddress(at(turn).hex),
  ),
  await compare(
    'sign a digest without the addon',
    (turn) => wasmCurve.signInto(new Uint8Array(64), at(turn).digest, key),
    (turn) => viemSign({ hash: at(turn).hex.hash, privateKey, to: 'hex' }),
  ),
  await compare(
    'recover an address without the addon',
    (turn) => recoveredWithout(at(turn)),
    (turn) => recoverAddress(at(turn).hex),
  ),
  await hashes(32),
  await hashes(200),
  await hashes(1024),
  ...(await lines()),
]);
