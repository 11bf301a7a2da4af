/** The devnet's present state, and the commands that the page gave it with their answers. */
import { type Signal, signal } from '@preact/signals';
import { isAnswer } from '../../../inspector/answers.ts';
import type { PlayView } from '../../../inspector/devnet-wire.ts';
import { answerLines, callRefusalIn, type PlayedCall } from './calls.ts';

/** `answer`: a sentence; null until it arrives. `body`: what the node wrote, without secrets; null: nothing. */
type Said = {
  id: number;
  curl: string;
  answer: string | null;
  body: string | null;
  isGood: boolean;
};
type Drawn = { from: string; to: string };
export type DevnetPlay = {
  /** Null: the devnet has not answered yet, or does not answer any more. */
  view: Signal<PlayView | null>;
  /** The newest first. */
  said: Signal<readonly Said[]>;
  /** Between which nodes somebody has drawn a line, that stays until the form at its middle is sent or left. */
  drawn: Signal<Drawn | null>;
  /** Null: the form is left. */
  draw(ends: Drawn | null): void;
  /** Between which nodes a channel was ordered that the page has not shown yet. */
  ordered: Signal<Drawn | null>;
  /** Looks at once what runs. */
  look(): void;
  run(call: PlayedCall): Promise<void>;
  /** Stops reading. */
  end(): void;
};

const LOOK_MS = 2_000;
const KEPT = 6;
/** Characters of an answer that are shown. */
const LONGEST = 4_000;

export function startPlay(): DevnetPlay {
  const view = signal<PlayView | null>(null);
  const said = signal<readonly Said[]>([]);
  const drawn = signal<Drawn | null>(null);
  const ordered = signal<Drawn | null>(null);
  const draw = (ends: Drawn | null) => {
    drawn.value = ends;
  };
  let calls = 0;

  async function look(): Promise<void> {
    try {
      const answer: unknown = await (await fetch('/devnet/')).json();
      view.value = isAnswer('play', answer) ? answer : null;
    } catch {
      view.value = null;
    }
  }

  function note(one: Said): void {
    const others = said.value.filter(({ id }) => id !== one.id);
    said.value = [one, ...others].sort((a, b) => b.id - a.id).slice(0, KEPT);
  }

  async function run(call: PlayedCall): Promise<void> {
    calls += 1;
    const one = { id: calls, curl: call.curl };
    note({ ...one, answer: null, body: null, isGood: true });
    const answering = send(call);
    await look();
    note({ ...one, ...(await answering) });
    await look();
  }

  const looking = setInterval(() => void look(), LOOK_MS);
  void look();
  return {
    view,
    said,
    drawn,
    draw,
    ordered,
    run,
    look: () => void look(),
    end: () => clearInterval(looking),
  };
}

type Answered = Pick<Said, 'answer' | 'body' | 'isGood'>;

async function send({ method, path, body, done }: PlayedCall): Promise<Answered> {
  const sent =
    body === null
      ? {}
      : {
          body: typeof body === 'string' ? body : JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        };
  try {
    const response = await fetch(path, { method, ...sent });
    const text = await response.text();
    const lines = answerLines(text) ?? text;
    const shown = lines.length > LONGEST ? `${lines.slice(0, LONGEST)} …` : lines;
    const reason = callRefusalIn(text) ?? `The answer is ${response.status}.`;
    return { answer: response.ok ? done : reason, body: shown.trim() || null, isGood: response.ok };
  } catch {
    return { answer: 'The devnet does not answer: has it ended?', body: null, isGood: false };
  }
}
