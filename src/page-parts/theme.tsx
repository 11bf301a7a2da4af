/** Light, dark, or as the system wants it; remembered by this browser. */
import { useState } from 'preact/hooks';
import { keep, kept } from './kept.ts';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** Called before the first paint, so that the page does not flash. */
export function applyStoredTheme(): void {
  apply(themeOf(kept('local', 'theme')));
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(() => themeOf(kept('local', 'theme')));
  return (
    <label class="theme">
      <span class="unseen">Theme</span>
      <select
        value={theme}
        onChange={({ currentTarget }) => {
          const chosen = themeOf(currentTarget.value);
          keep('local', 'theme', chosen);
          apply(chosen);
          setTheme(chosen);
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function apply(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

function themeOf(text: string | null): Theme {
  return THEMES.find((theme) => theme === text) ?? 'system';
}
