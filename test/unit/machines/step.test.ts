import { expect, it } from 'vitest';
import { only } from '../../../machines/base/step.ts';

it('a step refuses an event that its chart should not have let through', () => {
  const event: { type: 'cmd.open' | 'cmd.close' | 'cmd.join' } = { type: 'cmd.open' };
  expect(only(event, 'cmd.close', 'cmd.open')).toBe(event);
  expect(() => only(event, 'cmd.close', 'cmd.join')).toThrow(
    'cmd.open reached an action for cmd.close, cmd.join',
  );
});
