// `npm test`: everything this machine can carry. Every stage runs, whatever failed before it; the last line is the sum.
// `npm test -- unit` runs only the stages named (build, guards, unit, properties, shell, embedded, fleet).
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

process.chdir(new URL("..", import.meta.url).pathname);
const inCi = process.env.CI === "true";
const wanted = process.argv.slice(2);
const reports = mkdtempSync(join(tmpdir(), "rollcall-test-"));
const minutes = 60_000;

/** @type {{ name: string, seconds: number, passed: number, failed: number, skipped: number }[]} */
const results = [];
const missing = [];

await stage("build", () => guard("build", "node", ["build.mjs"]));
await stage("guards", () =>
  // Two lanes, as tsc keeps one core busy.
  Promise.all([
    guard("tsc", bin("tsc"), ["--noEmit"]),
    guard("tsc (pure part)", bin("tsc"), ["--noEmit", "-p", "tsconfig.pure.json"])
      .then(() => guard("biome", bin("biome"), ["check", "--error-on-warnings", "."]))
      .then(() => guard("knip", bin("knip"), ["--no-progress"])),
  ]),
);
await stage("unit", () => vitest("unit", 10 * minutes));
await stage("properties", () => vitest("properties", 10 * minutes));
await stage("shell", () => vitest("shell", 10 * minutes));
await stage("embedded", () => vitest("embedded", 10 * minutes));
await stage("fleet", realFleet);
rmSync(reports, { recursive: true });
summarise();

/** @param {string} name @param {() => Promise<unknown>} run */
async function stage(name, run) {
  if (wanted.length === 0 || wanted.includes(name)) await run();
}

/** @param {string} name of an installed tool */
function bin(name) {
  return join("node_modules", ".bin", name);
}

/** A check that passes or fails as a whole: silent when it passes, one failure when not. */
async function guard(name, command, args) {
  const begun = performance.now();
  const { code, output } = await execute(command, args, { capture: true, timeout: 10 * minutes });
  if (code !== 0) process.stdout.write(`\n${output.trimEnd()}\n`);
  record({ name, begun, passed: 0, failed: code === 0 ? 0 : 1, skipped: 0 });
}

/** One project of vitest.config.ts, counted from its JSON report. */
async function vitest(project, timeout) {
  const begun = performance.now();
  const report = join(reports, `${project}.json`);
  const args = ["run", "--project", project, "--reporter=default", "--reporter=json"];
  const { code } = await execute(bin("vitest"), [...args, `--outputFile.json=${report}`], { capture: false, timeout });
  record({ name: project, begun, ...count(report, code) });
}

function count(report, code) {
  const nothing = { passed: 0, failed: 1, skipped: 0 };
  if (!existsSync(report)) return nothing;
  const {
    numPassedTests: passed,
    numPendingTests,
    numTodoTests,
    testResults,
  } = JSON.parse(readFileSync(report, "utf8"));
  const failedTests = (file) => file.assertionResults.filter((test) => test.status === "failed").length;
  // A file that could not even be loaded has no failed test, and is a failure.
  const failed = testResults.reduce(
    (sum, file) => sum + Math.max(failedTests(file), file.status === "failed" ? 1 : 0),
    0,
  );
  const skipped = numPendingTests + numTodoTests;
  if (passed + failed === 0) return nothing;
  // What vitest holds against the run beyond its tests (an unhandled error), and in CI a test left out, fail it too.
  const unsaid = failed === 0 && (code !== 0 || (inCi && skipped > 0)) ? 1 : 0;
  return { passed, failed: failed + unsaid, skipped };
}

/** Real Debian nodes: installs what they need, builds their image, runs their tests. */
async function realFleet() {
  const obstacle = await fleetObstacle();
  if (obstacle === null) {
    await guard("fleet image", "bash", ["test/fleet/fleet.sh", "image"]);
    return vitest("fleet", 60 * minutes);
  }
  missing.push(`the real fleet (test/fleet: shell, systemd, dpkg, sshd on real nodes) ${obstacle}; CI runs it`);
  if (inCi) record({ name: "fleet", begun: performance.now(), passed: 0, failed: 1, skipped: 0 });
}

/** Why this machine cannot boot the real fleet; null when it can. */
async function fleetObstacle() {
  if (process.platform !== "linux") return `needs Linux, this is ${process.platform}`;
  if (!existsSync("/etc/debian_version")) return "needs Debian or a relative of it, for apt-get and dpkg";
  if (process.getuid?.() !== 0) return "needs root";
  const { code } = await execute("unshare", ["--mount", "--pid", "--net", "--fork", "true"], { capture: true });
  return code === 0 ? null : "needs leave to make namespaces, which this container does not give";
}

function record({ name, begun, passed, failed, skipped }) {
  const seconds = (performance.now() - begun) / 1000;
  results.push({ name, seconds, passed, failed, skipped });
  console.log(`${failed === 0 ? "✔" : "✘"} ${name} (${seconds.toFixed(1)} s)`);
}

function summarise() {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log("");
  for (const { name, seconds, passed, failed, skipped } of results) {
    const tests =
      passed + skipped === 0
        ? failed === 0
          ? "ok"
          : "failed"
        : `${passed} passed, ${failed} failed, ${skipped} skipped`;
    console.log(`${failed === 0 ? "✔" : "✘"} ${name.padEnd(16)} ${seconds.toFixed(1).padStart(7)} s  ${tests}`);
  }
  for (const what of missing) console.log(`\n!!! NOT RUN: ${what}`);
  const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  process.exitCode = failed > 0 || (passed === 0 && wanted.length === 0) ? 1 : 0;
}

/** Runs a program to its end; never throws. Captured output is both streams, in the order of arrival. */
function execute(command, args, { capture, timeout = minutes }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ["ignore", capture ? "pipe" : "inherit", capture ? "pipe" : "inherit"],
      timeout,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ code: 127, output: `${command}: ${error.message}` }));
    child.on("close", (code, signal) =>
      resolve({ code: code ?? 1, output: signal === null ? output : `${output}\n${command}: ended by ${signal}` }),
    );
  });
}
