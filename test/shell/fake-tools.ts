import { chmodSync, mkdirSync, writeFileSync } from "node:fs";

/**
 * Programs that stand before the real ones for a script that is run on this machine: each notes its name in `calls`, then
 * runs its body, or the real program of that name when there is none. Gives the line of shell that puts them in place.
 */
export function fakeTools(folder: string, bodies: Readonly<Record<string, string | null>>): string {
  const tools = `${folder}/tools`;
  mkdirSync(tools, { recursive: true });
  writeFileSync(`${folder}/calls`, "");
  for (const [name, body] of Object.entries(bodies)) {
    const run = body ?? `PATH=\${PATH#*:}; exec ${name} "$@"`;
    writeFileSync(`${tools}/${name}`, `#!/bin/sh\necho ${name} >>${folder}/calls\n${run}\n`);
    chmodSync(`${tools}/${name}`, 0o755);
  }
  return `PATH=${tools}:$PATH\n`;
}
