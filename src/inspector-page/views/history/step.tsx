/** All details of one step of the journal: event, guards with their values, edges, effects. */
import type { InspectionRecord, StepRecords } from '../../../inspector/wire.ts';
import { effectWords } from '../../../inspector/words/effects.ts';
import { CauseOf, timeText } from './list.tsx';
import { moveText, stepLine } from './steps.ts';
import { ValueText, ValueTree } from './value.tsx';
import { isBranch, showBlock } from './values.ts';

export function StepDetails({ step }: { step: StepRecords }) {
  const line = stepLine(step);
  if (line === null) return null;
  if (line.gap !== null) return <p class="gap-note">{line.gap}.</p>;
  return (
    <div class="step-details">
      <dl class="step-facts">
        <dt>Event</dt>
        <dd class="code">{line.what}</dd>
        <dt>State</dt>
        <dd class="code">{moveText(line)}</dd>
        <dt>Cause</dt>
        <dd>
          <CauseOf line={line} />
        </dd>
        <dt>When</dt>
        <dd>
          {showBlock(line.block)} · {timeText(line.time)} · step {line.seq}
        </dd>
      </dl>
      {step.map((record) => (
        <RecordPart key={record.part} record={record} />
      ))}
    </div>
  );
}

function RecordPart({ record }: { record: InspectionRecord }) {
  switch (record.kind) {
    case 'event':
      return <Fields title="What the event carried" value={withoutType(record.event)} />;
    case 'guard':
      return <GuardPart record={record} />;
    case 'transition':
      return <EdgesTaken edges={record.edges} />;
    case 'effect':
      return (
        <Fields title={`Effect ${effectWords(record.effect)}`} value={withoutType(record.effect)} />
      );
    case 'spawn':
      return <Fields title="Spawned with" value={record.input} />;
    default:
      return null;
  }
}

function GuardPart({ record }: { record: Extract<InspectionRecord, { kind: 'guard' }> }) {
  const { guard, isOpen, transition, reads } = record;
  return (
    <section class="record">
      <h3>
        <span class={isOpen ? 'verdict verdict-open' : 'verdict verdict-closed'}>
          {isOpen ? '✓ open' : '✕ closed'}
        </span>{' '}
        guard <span class="code">{guard}</span>
      </h3>
      {transition !== null && <p class="quiet code">{transition}</p>}
      <Reads reads={reads} />
    </section>
  );
}

/** The values that a guard looked at. */
export function Reads({ reads }: { reads: readonly { path: string; value: unknown }[] }) {
  if (reads.length === 0) return null;
  return (
    <ul class="reads">
      {reads.map(({ path, value }) => (
        <li key={path}>
          <span class="field-name">{path}</span> = <ValueText value={value} name={path} />
        </li>
      ))}
    </ul>
  );
}

function EdgesTaken({ edges }: { edges: readonly string[] }) {
  return (
    <section class="record">
      <h3>{edges.length === 0 ? 'No edge was taken' : 'Edges taken'}</h3>
      {edges.length > 0 && (
        <ol class="reads code">
          {edges.map((edge) => (
            <li key={edge}>{edge}</li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Fields({ title, value }: { title: string; value: unknown }) {
  if (!isBranch(value) || Object.keys(value).length === 0) return null;
  return (
    <section class="record">
      <h3>{title}</h3>
      <ValueTree value={value} label={title} openDepth={1} />
    </section>
  );
}

function withoutType(value: { type: string }): object {
  const { type: _, ...rest } = value;
  return rest;
}
