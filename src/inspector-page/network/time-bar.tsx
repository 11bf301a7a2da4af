/** The bar over a simulated network: its present time, and the buttons that control it. */
import { useState } from 'preact/hooks';
import type { TimeCommand, TimeView } from '../../inspector/devnet-wire.ts';
import { figureOf } from '../../page-parts/figure.ts';
import { Select } from '../../page-parts/select.tsx';
import { SmallField } from './play/small-field.tsx';
import type { TimeWatch } from './time.ts';

const SPEEDS = [0.2, 1, 5, 20, 100, 1_000];
const USUAL_SPEED = 1;
const STATES: Record<TimeView['state'], string> = {
  paused: 'paused',
  playing: 'playing',
  seeking: 'on its way',
  over: 'over',
  failed: 'failed',
};

export function TimeBar({ time }: { time: TimeWatch }) {
  const view = time.view.value;
  const [speed, setSpeed] = useState(USUAL_SPEED);
  const [step, setStep] = useState('');
  if (view === null) return null;
  const isOver = view.state === 'over' || view.state === 'failed';
  const isPlaying = view.state === 'playing';
  const play: TimeCommand = isPlaying ? { do: 'pause' } : { do: 'play', blocksPerSecond: speed };
  const button = (label: string, command: TimeCommand, isOff: boolean) => (
    <button type="button" disabled={isOff} onClick={() => void time.command(command)}>
      {label}
    </button>
  );
  return (
    <section class="time" aria-label="Time of the simulation">
      <p class="time-buttons">
        {button('◀◀ Block', { do: 'block_back' }, !view.canGoBack)}
        {button('◀ Event', { do: 'step_back' }, !view.canGoBack)}
        {button(isPlaying ? 'Pause' : 'Play', play, isOver)}
        {button('Event ▶', { do: 'step' }, isOver)}
        {button('Block ▶▶', { do: 'block' }, isOver)}
        <label>
          Blocks a second{' '}
          <Select
            value={`${speed}`}
            options={SPEEDS.map((one) => [`${one}`, `${one}`])}
            onChoose={(text) => {
              const chosen = Number(text);
              setSpeed(chosen);
              if (isPlaying) void time.command({ do: 'play', blocksPerSecond: chosen });
            }}
          />
        </label>
      </p>
      <form
        class="time-buttons"
        onSubmit={(event) => {
          event.preventDefault();
          if (/^\d{1,12}$/.test(step)) void time.command({ do: 'go', step: Number(step) });
        }}
      >
        <SmallField label="Step" value={step} onText={setStep} mode="numeric" size={10} />
        <button type="submit">Go</button>
      </form>
      <Standing view={view} />
    </section>
  );
}

const number = (what: string, value: number) => (
  <span {...figureOf({ of: `time/${what}`, value, unit: 'count' })}>{value}</span>
);

function Standing({ view }: { view: TimeView }) {
  const { title, seed, state, block, blocks, step, payments, trace, down, said, events } = view;
  return (
    <>
      <p class="time-standing" role="status">
        <strong {...figureOf({ of: 'time/state', value: state, unit: 'word' })}>
          {STATES[state]}
        </strong>{' '}
        in block {number('block', block)} of {number('blocks', blocks)} of the run, after step{' '}
        {number('step', step)} and {number('payments', payments)} payments · {title}, seed{' '}
        {number('seed', seed)} · <span title={trace}>{trace.slice(0, 10)}…</span>
      </p>
      {down.length === 0 ? null : <p>Does not run: {down.join(', ')}</p>}
      {said === null ? null : <p class={`time-said ${state}`}>{said}</p>}
      <details class="time-events">
        <summary>What happened last: step, milliseconds, who, what</summary>
        <pre>{events.join('\n')}</pre>
      </details>
    </>
  );
}
