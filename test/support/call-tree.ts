/**
 * Which functions of the source ran because of one call, in which order, and which of them called which: also over
 * promises and timers. `tracedSource` puts a call of `globalThis.traced` around the body of each function.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { relative } from 'node:path';
import { type Plugin, parseAst } from 'vite';

/** One run of a function; `parent`: the run in which it was called, or in which it was planned. */
export type Run = { file: string; name: string; parent: Run | null };
type Work = (...args: never[]) => unknown;
/** Called in place of the body, which is `work`. */
type Traced = (file: string, name: string, work: () => unknown) => unknown;
export type CallTree = ReturnType<typeof createCallTree>;

declare global {
  var traced: Traced | undefined;
}

/** Between `begin` and `end`: the functions of `first` that run in no other function, and what runs because of them. */
export function createCallTree(first: string) {
  const running = new AsyncLocalStorage<Run>();
  const runs: Run[] = [];
  let isOn = false;

  function traced(file: string, name: string, work: () => unknown): unknown {
    const parent = running.getStore() ?? null;
    if (!isOn || (parent === null && file !== first)) return work();
    const run = { file, name, parent };
    runs.push(run);
    return running.run(run, work);
  }

  globalThis.traced = traced;
  return {
    runs,
    begin() {
      isOn = true;
    },
    /** The run of this moment; null: nothing of the call. */
    now: () => (isOn ? (running.getStore() ?? null) : null),
    /** What `work` runs is none of the call's. */
    outside: <T>(work: () => T): T => running.exit(work),
    end() {
      isOn = false;
      globalThis.traced = undefined;
    },
    /** Timers in virtual time are planned by a scheduler, which knows nothing of calls. */
    followTimers() {
      const { setImmediate: later, setTimeout: after } = globalThis;
      const bound = (work: Work) => AsyncLocalStorage.bind(work);
      Object.assign(globalThis, {
        setImmediate: (work: Work, ...args: never[]) => later(bound(work), ...args),
        setTimeout: (work: Work, ms: number, ...args: never[]) => after(bound(work), ms, ...args),
      });
    },
  };
}

/** Runs of the source, not of libraries and of what stands beside it in tests. */
export function tracedSource(root: string): Plugin {
  return {
    name: 'traced-source',
    enforce: 'post',
    transform(code, id) {
      const file = relative(root, id);
      const isSource = /^(?:src|machines)\//.test(file) && !file.startsWith('src/simulation/');
      return isSource ? { code: withTraces(code, file), map: null } : null;
    },
  };
}

type Insertion = { at: number; text: string };
type Syntax = { type: string; start: number; end: number; [field: string]: unknown };

function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function withTraces(code: string, file: string): string {
  const insertions: Insertion[] = [];
  visit(parseAst(code), '');
  const inOrder = insertions.toSorted((a, b) => a.at - b.at);
  let whole = '';
  let done = 0;
  for (const { at, text } of inOrder) {
    whole += code.slice(done, at) + text;
    done = at;
  }
  return whole + code.slice(done);

  /** `name`: what the value is called. */
  function visit(value: unknown, name: string): void {
    if (Array.isArray(value)) for (const one of value) visit(one, name);
    if (!isSyntax(value)) return;
    const own = nameOf(value) ?? name;
    // A constructor answers nothing, and the body of a generator cannot be moved.
    const isBound = value['generator'] === true || value['kind'] === 'constructor';
    if (isBound) return;
    const body = value.type.includes('Function') ? value['body'] : null;
    const isBlock = isSyntax(body) && body.type === 'BlockStatement';
    if (isSyntax(body)) {
      const head = headOf(own, value['async'] === true);
      insertions.push({ at: body.start, text: isBlock ? `{return ${head}` : `${head}(` });
    }
    for (const field of Object.values(value)) visit(field, own);
    // After what is inside, which may end at the same place.
    if (isSyntax(body)) insertions.push({ at: body.end, text: isBlock ? ')}' : '))' });
  }

  function headOf(name: string, isAsync: boolean): string {
    const facts = `${JSON.stringify(file)},${JSON.stringify(name)}`;
    return `(globalThis.traced??((f,n,w)=>w()))(${facts},${isAsync ? 'async ' : ''}()=>`;
  }
}

function nameOf(syntax: Syntax): string | null {
  const named = syntax['id'] ?? (syntax.type === 'Property' ? syntax['key'] : null);
  return isSyntax(named) && typeof named['name'] === 'string' ? named['name'] : null;
}
