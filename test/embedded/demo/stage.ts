import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXAMPLE_INSTALLED, EXAMPLE_PACKAGES } from "../example-packages.ts";
import { type EmbeddedFleet, startEmbeddedFleet } from "../fleet.ts";
import { commitAll, copyFleetRepository, declaredNodes, gitEnvironment } from "../fleet-repository.ts";

/** All that the story needs: nodes, the repository that declares them, and how rollcall is started. */
export interface Stage {
  readonly fleet: EmbeddedFleet;
  /** The fleet repository. */
  readonly repository: string;
  readonly keyFile: string;
  /** Program and first arguments; the verb follows. */
  readonly rollcall: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Ends the nodes and leaves nothing behind. */
  strike(): Promise<void>;
}

/** Long enough for the eye to follow apt, milliseconds. */
const APT_MS = 200;

/** `example`: the repository with the example fleet; `main`: rollcall's bundle. */
export async function setStage(example: string, main: string): Promise<Stage> {
  const plans = declaredNodes(example).map((name) => {
    const installed = EXAMPLE_INSTALLED[name] ?? [];
    return { name, repository: EXAMPLE_PACKAGES, installed, aptMs: APT_MS };
  });
  const fleet = await startEmbeddedFleet(plans);
  const folder = mkdtempSync(join(tmpdir(), "rollcall-demo-"));
  const strike = async (): Promise<void> => {
    await fleet.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const repository = join(folder, "fleet");
    const keyFile = join(folder, "key");
    mkdirSync(repository);
    writeFileSync(keyFile, fleet.clientKey.privateKey, { mode: 0o600 });
    copyFleetRepository(example, repository, fleet.nodes);
    await commitAll(repository, "The example fleet");
    const rollcall = [process.execPath, main, "-C", repository];
    return { fleet, repository, keyFile, rollcall, environment: environmentFor(keyFile), strike };
  } catch (error) {
    await strike();
    throw error;
  }
}

/** Only the demo's own key is offered to its nodes. */
function environmentFor(keyFile: string): NodeJS.ProcessEnv {
  const { SSH_AUTH_SOCK: _agent, ROLLCALL_SSH_KEY: _key, ...rest } = gitEnvironment();
  return { ...rest, ROLLCALL_SSH_KEY_FILE: keyFile };
}
