/** Light, dark, or as the system wants it; remembered by this browser. */
import { useState } from 'preact/hooks';
import { keep, kept } from './kept.ts';
import { Select } from './select.tsx';

const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
type Theme = (typeof THEMES)[number][0];

/** Called before the first paint, so that the page does not flash. */
export function applyStoredTheme(): void {
  apply(themeOf(kept('local', 'theme')));
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(() => themeOf(kept('local', 'theme')));
  return (
    <label class="theme">
      <span class="unseen">Theme</span>
      <Select
        value={theme}
        options={THEMES}
        onChoose={(text) => {
          const chosen = themeOf(text);
          keep('local', 'theme', chosen);
          apply(chosen);
          setTheme(chosen);
        }}
      />
    </label>
  );
}

function apply(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

function themeOf(text: string | null): Theme {
  return THEMES.find(([theme]) => theme === text)?.[0] ?? 'system';
}
