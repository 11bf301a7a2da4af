import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/tabs/schema.ts',
  out: './drizzle/tabs',
});
