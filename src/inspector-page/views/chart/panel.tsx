/** The panel beside the drawing: what can happen next, what happened last, what is selected. */
import type { EdgeDefinition, MachineDefinition, StepRecords } from '../../../inspector/wire.ts';
import { pageHash } from '../../base/router.ts';
import { CauseOf } from '../history/list.tsx';
import { Reads } from '../history/step.tsx';
import { moveText, stepLine } from '../history/steps.ts';
import { showBlock } from '../history/values.ts';
import type { Activity, GuardAttempt } from './activity.ts';
import { closedGuards, guardSentences } from './guards.ts';
import { byCauser, lastBlock, type Possible } from './next.ts';

const LAST_STEPS = 10;

export type EdgeFacts = {
  machine: MachineDefinition;
  activity: Activity;
};

export function PossibleNext({
  possible,
  onSelect,
  ...facts
}: EdgeFacts & { possible: readonly Possible[]; onSelect(edge: string): void }) {
  if (possible.length === 0) return <p class="quiet">Nothing: this is an end.</p>;
  return (
    <>
      {byCauser(possible).map(({ who, possible: some }) => (
        <section key={who} class="next-group" aria-label={who}>
          <h3>{who}</h3>
          <ul class="next">
            {some.map((one) => (
              <PossibleEvent key={one.event} possible={one} onSelect={onSelect} {...facts} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

type PossibleProps = EdgeFacts & { possible: Possible; onSelect(edge: string): void };

function PossibleEvent({ possible: { event, edges }, onSelect, ...facts }: PossibleProps) {
  const blocked = lastBlock(edges, facts.activity);
  return (
    <li>
      <details>
        <summary>
          <span class="code">{event}</span>
          {blocked !== null && (
            <span class="verdict verdict-closed">✕ blocked {showBlock(blocked.block)}</span>
          )}
        </summary>
        <ol class="next-edges">
          {edges.map((edge) => (
            <li key={edge.id}>
              <button type="button" class="link" onClick={() => onSelect(edge.id)}>
                {edge.targets.length === 0 ? 'stays' : `→ ${edge.targets.join(', ')}`}
              </button>
              <EdgeWords edge={edge} {...facts} />
            </li>
          ))}
        </ol>
      </details>
    </li>
  );
}

/** An edge's guards and actions, how often it was taken, and the values that blocked it last. */
export function EdgeWords({ edge, machine, activity }: EdgeFacts & { edge: EdgeDefinition }) {
  const taken = activity.taken.get(edge.id);
  const blocked = activity.lastBlocked.get(edge.id);
  return (
    <div class="edge-words">
      {edge.description !== '' && <p>{edge.description}</p>}
      {edge.guards.map((guard) => (
        <p key={guard}>
          if <span class="code">{guard}</span>
          {guardSentences(guard, machine.guards).map(({ name, sentence }) => (
            <span key={name} class="quiet">
              {' '}
              {sentence}
            </span>
          ))}
        </p>
      ))}
      {edge.guards.length === 0 && <p class="quiet">without a condition</p>}
      {edge.actions.length > 0 && (
        <p>
          does <span class="code">{edge.actions.join(', ')}</span>
        </p>
      )}
      <p class="quiet">
        {taken === undefined
          ? 'not taken in the known steps'
          : `taken ${taken.count} ×, last at ${showBlock(taken.block)}`}
      </p>
      {blocked !== undefined && <Blocked attempt={blocked} />}
    </div>
  );
}

function Blocked({ attempt }: { attempt: GuardAttempt }) {
  return (
    <div class="blocked">
      <p class="verdict verdict-closed">✕ blocked at {showBlock(attempt.block)}</p>
      {closedGuards(attempt).map(({ guard, isOpen, reads }) => (
        <div key={guard}>
          <span class="code">{guard}</span> is {isOpen ? 'open' : 'closed'}
          <Reads reads={reads} />
        </div>
      ))}
    </div>
  );
}

export function LastSteps({ actor, steps }: { actor: string; steps: readonly StepRecords[] }) {
  const lines = steps
    .slice(-LAST_STEPS)
    .reverse()
    .flatMap((step) => stepLine(step) ?? []);
  if (lines.length === 0) return <p class="quiet">None is known.</p>;
  return (
    <ol class="last-steps">
      {lines.map((line) => (
        <li key={line.seq}>
          {line.gap !== null ? (
            <span class="gap-note">{line.gap}</span>
          ) : (
            <>
              <span class="step-block">{showBlock(line.block)}</span>
              <a class="code" href={pageHash({ view: 'history', actor, step: line.seq })}>
                {line.what}
              </a>
              <CauseOf line={line} />
              {line.from !== line.to && <span class="code last-move">{moveText(line)}</span>}
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
