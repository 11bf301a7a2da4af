/** scrypt in WebAssembly, on a thread of its own: for costs that OpenSSL refuses. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

export type ScryptRequest = {
  password: Uint8Array;
  salt: Uint8Array;
  n: number;
  r: number;
  p: number;
  /** Bytes that are wanted. */
  length: number;
};

/** The thread's whole program, as text: it is the same from source files and from built ones. */
const PROGRAM = `
  const { parentPort, workerData: { module, request } } = require('node:worker_threads');
  const { n, r, p, length, ...bytes } = request;
  require(module)
    .scrypt({ ...bytes, costFactor: n, blockSize: r, parallelism: p, hashLength: length, outputType: 'binary' })
    .then((key) => parentPort.postMessage(key));
`;

/** Runs scrypt on the thread. Rejects when there is too little memory for it. */
export async function scryptInThread(request: ScryptRequest): Promise<Uint8Array> {
  const module = createRequire(import.meta.url).resolve('hash-wasm');
  const worker = new Worker(PROGRAM, { eval: true, workerData: { module, request } });
  try {
    const [key]: unknown[] = await once(worker, 'message');
    if (key instanceof Uint8Array && key.length === request.length) return key;
    throw new Error('the thread answered with something else than a key');
  } finally {
    await worker.terminate();
  }
}
