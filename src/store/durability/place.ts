/** Whether the files of an open database still lie where they were opened: SQLite writes on into a deleted one. */
import { statSync } from 'node:fs';

/** What lies at the path of an open file. `unknown`: that cannot be looked at just now. */
type Lying = 'own' | 'missing' | 'other' | 'unknown';
/** The first file that is not there any more. `isMissing`: nothing lies in its place. */
export type Loss = { file: string; isMissing: boolean };
export type DatabasePlace = ReturnType<typeof notePlace>;

const GONE: readonly string[] = ['ENOENT', 'ENOTDIR'];

/**
 * To be called when both files are open: no other file gets their numbers while they are. It only asks for them by
 * name, because to open and close a file gives up all locks that this process has on it.
 */
export function notePlace(path: string) {
  const [file, log] = [noted(path), noted(`${path}-wal`)];

  return {
    path,
    /** The database's file. */
    main: file.look,
    /** Its write-ahead log. */
    log: log.look,
    loss(): Loss | null {
      for (const { name, look } of [file, log]) {
        const lying = look();
        if (lying === 'missing' || lying === 'other')
          return { file: name, isMissing: lying === 'missing' };
      }
      return null;
    },
  };
}

function noted(name: string) {
  const own = numbersOf(name);
  const look = (): Lying => {
    try {
      const { dev, ino } = numbersOf(name);
      return dev === own.dev && ino === own.ino ? 'own' : 'other';
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      return GONE.includes(code) ? 'missing' : 'unknown';
    }
  };
  return { name, look };
}

const numbersOf = (path: string) => statSync(path, { bigint: true });
