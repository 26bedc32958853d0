import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseDocument } from "yaml";
import type { EmbeddedNode } from "./fleet.ts";

/** Names of the nodes that a fleet repository declares, sorted. */
export function declaredNodes(repository: string): string[] {
  return readdirSync(join(repository, "roster", "nodes"))
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .sort();
}

/** Copies the desired state of one repository into another folder and says there where the embedded nodes really are. */
export function copyFleetRepository(from: string, to: string, nodes: readonly EmbeddedNode[]): void {
  for (const folder of ["roster", "host-roles", "parcels"]) {
    cpSync(join(from, folder), join(to, folder), { recursive: true });
  }
  writeKnownHosts(to, nodes);
  for (const node of nodes) {
    const file = join(to, "roster", "nodes", `${node.name}.yaml`);
    // As written (failsafe: nothing is read as a number or a date), but for where the node is found.
    const document = parseDocument(readFileSync(file, "utf8"), { schema: "failsafe" });
    document.set("address", "127.0.0.1");
    document.set("port", String(node.port));
    for (const key of ["jump", "user", "machine_id"]) document.delete(key);
    writeFileSync(file, document.toString({ lineWidth: 0 }));
  }
}

function writeKnownHosts(repository: string, nodes: readonly EmbeddedNode[]): void {
  mkdirSync(join(repository, "roster"), { recursive: true });
  const lines = nodes.map((node) => `${node.knownHostsLine}\n`);
  writeFileSync(join(repository, "roster", "known_hosts"), lines.join(""));
}

/** Commits all of a folder on main, making it a git repository if it is none. */
export async function commitAll(folder: string, message: string): Promise<void> {
  const run = (...args: string[]) =>
    promisify(execFile)("git", ["-c", "core.hooksPath=", "-c", "commit.gpgsign=false", ...args], {
      cwd: folder,
      env: gitEnvironment(),
    });
  try {
    await run("init", "--quiet");
    await run("symbolic-ref", "HEAD", "refs/heads/main");
    await run("add", "--all");
    await run("-c", "user.name=demo", "-c", "user.email=demo@example.org", "commit", "--quiet", "-m", message);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error("git is not installed here, and it holds what the machines should be; install it and try again", {
      cause: error,
    });
  }
}

/** Without the variables by which a git that runs us (in a hook, say) would turn ours to its own repository. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
}
