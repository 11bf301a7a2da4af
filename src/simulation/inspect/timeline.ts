/**
 * Controls the time of a simulation: on by one event, by a block, or at a speed, and back. Going back means running
 * again from the seed up to an earlier step: this is the very same run, so that nothing has to be undone.
 */
import type { TimeCommand, TimeView } from '../../inspector/devnet-wire.ts';
import { realNow } from '../workers/real-clock.ts';
import {
  type Cast,
  type Committed,
  type Goal,
  NEVER,
  type Outcome,
  type Reply,
  type Standing,
  type Subject,
} from './messages.ts';
import { type Stage, startStage } from './start-thread.ts';

type Options = {
  subject: Subject;
  /** The step to begin at; 0 is the scenario's first. */
  at: number;
  /** A run begins, also a new one after going back: everything known of the previous run is void. */
  onCast(cast: Cast): void;
  onCommits(commits: readonly Committed[]): void;
};

/** What the reader wants: to pause, to go to a goal, or to play. */
type Wish =
  | { kind: 'stand' }
  | { kind: 'go'; to: (from: Standing) => Goal }
  | { kind: 'play'; blocksPerSecond: number; since: Since | null };
type Since = { realMs: number; virtualMs: number };
type End = { outcome: Outcome } | { failure: string };

/** Real milliseconds between two looks at the clock while it plays. */
const FRAME_MS = 40;
/** Real milliseconds after which a command is answered even if it is not done. */
const PATIENCE_MS = 1_000;
const BEGINNING: Standing = {
  steps: 0,
  events: 0,
  virtualMs: 0,
  block: 0,
  payments: 0,
  trace: '',
  down: [],
  before: null,
  blockBefore: null,
};

const anywhere: Goal = { steps: NEVER, events: NEVER, block: NEVER, virtualMs: NEVER };
const toStep = (steps: number) => (): Goal => ({ ...anywhere, steps });

export function createTimeline({ subject, at, onCast, onCommits }: Options) {
  let cast: Cast | null = null;
  let standing = BEGINNING;
  let latest: readonly string[] = [];
  let epoch = 0;
  let end: End | null = null;
  let wish: Wish = { kind: 'go', to: toStep(at) };
  /** The goal that the run is on its way to; null: none. */
  let goal: Goal | null = null;
  /** The run pauses, and waits for a goal. */
  let isWaiting = false;
  let frame: ReturnType<typeof setTimeout> | null = null;
  let arrivals: (() => void)[] = [];
  let onBegun: { resolve(cast: Cast): void; reject(error: Error): void } | null = null;
  const begun = new Promise<Cast>((resolve, reject) => {
    onBegun = { resolve, reject };
  });
  let stage: Stage = begin();

  function begin(): Stage {
    epoch += 1;
    [standing, end, goal] = [BEGINNING, null, null];
    isWaiting = true;
    const mine = epoch;
    return startStage(subject, {
      onReply(reply) {
        if (mine === epoch) hear(reply);
      },
      onFailure(text) {
        if (mine === epoch) finish({ failure: text });
      },
    });
  }

  function hear(reply: Reply) {
    switch (reply.type) {
      case 'cast':
        cast = reply.cast;
        onCast(cast);
        return onBegun?.resolve(cast);
      case 'commits':
        return onCommits(reply.commits);
      case 'stands':
        [standing, latest] = [reply.standing, reply.latest];
        isWaiting = true;
        if (reply.isReached) {
          // Without a goal the run was still on its way to an earlier goal.
          if (goal !== null && wish.kind === 'go') wish = { kind: 'stand' };
          goal = null;
        }
        return decide();
      case 'over':
        [standing, latest] = [reply.standing, reply.latest];
        return finish({ outcome: reply.outcome });
    }
  }

  function finish(how: End) {
    end = how;
    if ('failure' in how) onBegun?.reject(new Error(how.failure));
    wish = { kind: 'stand' };
    arrive();
  }

  function arrive() {
    const all = arrivals;
    arrivals = [];
    for (const one of all) one();
  }

  function go(to: Goal) {
    goal = to;
    isWaiting = false;
    stage.go(to);
  }

  /** Gives a waiting run its next goal. */
  function decide() {
    if (!isWaiting || end !== null) return;
    if (wish.kind === 'stand') return arrive();
    if (wish.kind === 'go') return go(goal ?? wish.to(standing));
    arrive();
    wish.since ??= { realMs: realNow(), virtualMs: standing.virtualMs };
    const virtualMs = playedTo(wish.since, wish.blocksPerSecond);
    if (virtualMs > standing.virtualMs) return go({ ...anywhere, virtualMs });
    if (frame !== null) clearTimeout(frame);
    frame = setTimeout(decide, FRAME_MS);
  }

  function playedTo({ realMs, virtualMs }: Since, blocksPerSecond: number): number {
    const blocks = ((realNow() - realMs) / 1_000) * blocksPerSecond;
    return virtualMs + blocks * (cast?.blockMs ?? 0);
  }

  function wishFor(next: Wish) {
    wish = next;
    goal = null;
    decide();
  }

  async function goBackTo(steps: number) {
    const old = stage;
    wish = { kind: 'go', to: toStep(steps) };
    stage = begin();
    decide();
    await old.end();
  }

  function carryOut(command: TimeCommand) {
    switch (command.do) {
      case 'pause':
        return wishFor({ kind: 'stand' });
      case 'step':
        return wishFor({ kind: 'go', to: ({ events }) => ({ ...anywhere, events: events + 1 }) });
      case 'block':
        return wishFor({ kind: 'go', to: ({ block }) => ({ ...anywhere, block: block + 1 }) });
      case 'step_back':
        return standing.before === null ? null : goBackTo(standing.before);
      case 'block_back':
        return standing.blockBefore === null ? null : goBackTo(standing.blockBefore);
      case 'go':
        if (command.step < standing.steps) return goBackTo(command.step);
        return wishFor({ kind: 'go', to: toStep(command.step) });
      case 'play': {
        const { blocksPerSecond } = command;
        return wishFor({ kind: 'play', blocksPerSecond, since: null });
      }
    }
  }

  function state(): TimeView['state'] {
    if (end !== null) return 'outcome' in end ? 'over' : 'failed';
    if (wish.kind === 'play') return 'playing';
    return wish.kind === 'stand' && isWaiting ? 'paused' : 'seeking';
  }

  function said(): string | null {
    if (end === null) return null;
    return 'outcome' in end ? `${end.outcome.verdict}: ${end.outcome.text}` : end.failure;
  }

  function view(): TimeView {
    const { steps, virtualMs, block, payments, trace, down, before } = standing;
    return {
      title: cast?.title ?? '',
      seed: subject.seed,
      epoch,
      state: state(),
      step: steps,
      block,
      blocks: cast?.blocks ?? 0,
      seconds: virtualMs / 1_000,
      payments,
      trace,
      blocksPerSecond: wish.kind === 'play' ? wish.blocksPerSecond : 0,
      canGoBack: before !== null,
      down,
      said: said(),
      events: latest,
    };
  }

  decide();
  return {
    /** Resolves when the first run has begun. Rejects when the program itself fails before. */
    begun,
    view,
    /** Carries out a command; resolves with the view when it is done, or after a second. */
    async command(command: TimeCommand): Promise<TimeView> {
      await carryOut(command);
      if (state() !== 'seeking') return view();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PATIENCE_MS);
        arrivals.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      return view();
    },
    /** Ends everything. Resolves when nothing runs any more. */
    async end(): Promise<void> {
      epoch += 1;
      if (frame !== null) clearTimeout(frame);
      await stage.end();
    },
  };
}
