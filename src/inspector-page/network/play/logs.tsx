/** The last lines of each node's log, folded up; an open one is followed live. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAnswer } from '../../../inspector/answers.ts';
import type { LogLevel, LogLine, NodeLog } from '../../../inspector/devnet-wire.ts';
import { Select } from '../../../page-parts/select.tsx';

const LOOK_MS = 1_000;
/** Lines that the page keeps of a node, as the devnet does. */
const KEPT = 300;
/** Pixels from the end at which a reader still counts as following it. */
const NEAR = 24;

/** The choices of a reader, each with the levels that it leaves out. */
const CHOICES: readonly { name: string; without: readonly LogLevel[] }[] = [
  { name: 'everything', without: [] },
  { name: 'warnings and errors', without: ['info'] },
  { name: 'errors', without: ['info', 'warn'] },
];

export function Logs({ names }: { names: readonly string[] }) {
  const [chosen, choose] = useState(0);
  const without = CHOICES[chosen]?.without ?? [];
  return (
    <section aria-labelledby="logs-title" class="network-wide">
      <h2 id="logs-title">Logs</h2>
      <p class="play-fields">
        <label>
          Show{' '}
          <Select
            value={String(chosen)}
            options={CHOICES.map(({ name }, at) => [String(at), name])}
            onChoose={(at) => choose(Number(at))}
          />
        </label>
      </p>
      {names.map((name) => (
        <FoldedLog key={name} name={name} without={without} />
      ))}
    </section>
  );
}

type LogProps = { name: string; without: readonly LogLevel[] };

function FoldedLog({ name, without }: LogProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="play-log" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Log of {name}</summary>
      {isOpen && <OpenLog name={name} without={without} />}
    </details>
  );
}

function OpenLog({ name, without }: LogProps) {
  const lines = useLines(name);
  const box = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const shown = lines?.filter(({ level }) => level === null || !without.includes(level)) ?? [];
  const newest = shown.at(-1)?.seq;
  useEffect(() => {
    if (isFollowing.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [newest, without]);
  return (
    <div
      ref={box}
      class="play-lines"
      role="log"
      aria-label={`Log of ${name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {shown.length === 0 ? (
        <p class="mark-quiet">{emptyText(lines)}</p>
      ) : (
        shown.map(({ seq, level, text }) => (
          <code key={seq} class={level ?? 'info'}>
            {text}
          </code>
        ))
      )}
    </div>
  );
}

function emptyText(lines: readonly LogLine[] | null): string {
  if (lines === null) return 'Asking …';
  return lines.length === 0 ? 'It has said nothing yet.' : 'Nothing of this kind.';
}

/** The lines of the node's log, read again every second; null: not read yet. */
function useLines(name: string): readonly LogLine[] | null {
  const [lines, setLines] = useState<readonly LogLine[] | null>(null);
  useEffect(() => {
    let last = 0;
    let known: readonly LogLine[] = [];
    let hasLeft = false;
    let isAsking = false;
    const look = async () => {
      if (isAsking) return;
      isAsking = true;
      const log = await readLog(name, last);
      isAsking = false;
      if (log === null || hasLeft) return;
      // Numbers that begin again are those of another devnet at the same address.
      known = [...(log.last < last ? [] : known), ...log.lines].slice(-KEPT);
      last = log.last;
      setLines(known);
    };
    void look();
    const looking = setInterval(() => void look(), LOOK_MS);
    return () => {
      hasLeft = true;
      clearInterval(looking);
    };
  }, [name]);
  return lines;
}

/** Null: the devnet does not answer. */
async function readLog(name: string, after: number): Promise<NodeLog | null> {
  try {
    const answer: unknown = await (await fetch(`/devnet/logs/${name}?after=${after}`)).json();
    return isAnswer('log', answer) ? answer : null;
  } catch {
    return null;
  }
}
