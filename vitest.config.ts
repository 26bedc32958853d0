import { defineConfig } from "vitest/config";

/** Files whose tests start shells, git or servers again and again, so that they take their time. */
const SHELL = [
  "test/shell/**/*.test.ts",
  "test/adapters/ssh-*.test.ts",
  "test/adapters/recheck.test.ts",
  "test/desired/{desired-editor,git-repository}.test.ts",
  "test/commands/{validate-base,revert,ci-pull-request}.test.ts",
  "test/commands/ci-{reconcile,audit}*.test.ts",
  "test/commands/{doctor-repo,broken-streams}.test.ts",
  "test/commands/ci/**/*.test.ts",
  "test/github/**/*.test.ts",
  "test/observed/**/*.test.ts",
  "test/workflows/**/*.test.ts",
];

/** Interruptions at every boundary, random fleets and ten thousand nodes, all in memory: much to compute. */
const PROPERTIES = [
  "test/engine/**/*.test.ts",
  "test/adapters/memory-fleet.test.ts",
  "test/render/plan-comment-{property,large}.test.ts",
  "test/plan/{planner-runs,planner-properties,fold-rollout-transitions}.test.ts",
];

// Three rungs (src/README.md): `unit`, `properties` and `shell` run anywhere, `embedded` speaks SSH to simulated nodes in this process,
// `fleet` boots real Debian nodes and needs root. test/run.mjs decides which of them a machine can carry.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/fleet/**", "test/embedded/**", ...SHELL, ...PROPERTIES],
          testTimeout: 60_000,
          // Nothing here changes what a second file would see, and loading zod and yaml anew for each costs most of the time.
          isolate: false,
          maxWorkers: 2,
        },
      },
      { test: { name: "properties", include: PROPERTIES, testTimeout: 120_000, isolate: false, maxWorkers: 2 } },
      {
        // GitHub's packages come without the sources that their source maps name.
        logLevel: "error",
        test: {
          name: "shell",
          include: SHELL,
          testTimeout: 60_000,
          // GitHub's packages import JSON in a way that Node itself refuses.
          server: { deps: { inline: [/@actions\//] } },
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
