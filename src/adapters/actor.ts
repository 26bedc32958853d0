import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import { gitEnvironment } from "./git-environment.ts";

/**
 * Who runs this, for the record: who started the workflow, else the name that commits carry here, else the login. One line of
 * at most 200 characters.
 */
export async function actorName(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const names = [environment.GITHUB_ACTOR ?? "", await gitName(folder, environment), login(environment)];
  return names.map(oneLine).find((name) => name !== "") ?? "unknown";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

function oneLine(name: string): string {
  return name.replace(CONTROLS, " ").trim().slice(0, 200);
}

/** Empty where git is missing or has no name: then somebody else's word counts. */
function gitName(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: gitEnvironment(environment) };
    execFile("git", ["config", "user.name"], options, (error, stdout) => resolve(error === null ? stdout : ""));
  });
}

function login(environment: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // An account number without a name, as in some containers.
    return environment.USER ?? "";
  }
}
