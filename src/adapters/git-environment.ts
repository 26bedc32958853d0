/**
 * What git may know of the caller's environment. GIT_DIR, GIT_INDEX_FILE and their kind are set inside hooks and would
 * turn every question to another repository than the folder that was named; GIT_CONFIG… is how containers and tests
 * configure git, and stays.
 */
export function allowedGitVariables(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment).filter((name) =>
    /^GIT_(CONFIG|CEILING_DIRECTORIES|TRACE|TERMINAL_PROMPT)/.test(name),
  );
}

export function gitEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const allowed = new Set(allowedGitVariables(environment));
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith("GIT_") || allowed.has(name)),
  );
}
