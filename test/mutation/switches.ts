/** What the switches in the changed source of StrykerJS read and write. */
export interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Hits; perTest: Record<string, Hits> };
}
/** How often each change was met, by its number. */
export type Hits = Record<string, number>;

declare global {
  var __stryker__: Switches | undefined;
}
