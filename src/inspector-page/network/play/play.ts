/** The devnet's present state, and the commands that the page gave it with their answers. */
import { type Signal, signal } from '@preact/signals';
import { isAnswer } from '../../../inspector/answers.ts';
import type { PlayView } from '../../../inspector/devnet-wire.ts';
import type { Call } from './calls.ts';

/** `answer`: null until it arrives. */
type Said = { id: number; curl: string; answer: string | null; isGood: boolean };
export type Play = {
  /** Null: the devnet has not answered yet, or does not answer any more. */
  view: Signal<PlayView | null>;
  /** The newest first. */
  said: Signal<readonly Said[]>;
  run(call: Call): Promise<void>;
  /** Stops reading. */
  end(): void;
};

const LOOK_MS = 2_000;
const KEPT = 6;
/** Characters of an answer that are shown. */
const LONGEST = 600;

export function startPlay(): Play {
  const view = signal<PlayView | null>(null);
  const said = signal<readonly Said[]>([]);
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

  async function run(call: Call): Promise<void> {
    calls += 1;
    const one = { id: calls, curl: call.curl };
    note({ ...one, answer: null, isGood: true });
    const answering = send(call);
    await look();
    note({ ...one, ...(await answering) });
    await look();
  }

  const looking = setInterval(() => void look(), LOOK_MS);
  void look();
  return { view, said, run, end: () => clearInterval(looking) };
}

async function send({ method, path, body }: Call): Promise<Pick<Said, 'answer' | 'isGood'>> {
  const sent =
    body === null
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  try {
    const response = await fetch(path, { method, ...sent });
    const text = await response.text();
    const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
    return { answer: `${response.status} ${shown}`, isGood: response.ok };
  } catch {
    return { answer: 'The devnet does not answer: has it ended?', isGood: false };
  }
}
