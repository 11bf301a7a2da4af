import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/services/monitoring/schema.ts',
  out: './drizzle/monitoring',
});
