import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/services/pathfinding/schema.ts',
  out: './drizzle/pathfinding',
});
