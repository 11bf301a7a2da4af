import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/store/base/schema.ts', './src/store/base/history-schema.ts'],
  out: './drizzle',
});
