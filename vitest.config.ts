import { defineConfig } from "vitest/config";

// Three rungs (src/README.md): `unit` runs anywhere in seconds, `embedded` speaks SSH to simulated nodes in this
// process, `fleet` boots real Debian nodes and needs root. test/run.mjs decides which of them a machine can carry.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/fleet/**", "test/embedded/**"],
          testTimeout: 60_000,
        },
      },
      { test: { name: "embedded", include: ["test/embedded/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "fleet",
          include: ["test/fleet/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
