import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Trouble } from "../kit/trouble.ts";

/** The files of .github/workflows in a working tree, sorted; none where there is no such folder. */
export async function workflowFiles(
  root: string,
): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const folder = join(root, ".github", "workflows");
  try {
    const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
    return await Promise.all(names.map(async (file) => ({ file, text: await readFile(join(folder, file), "utf8") })));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new Trouble(message, { code: "workflows-unread", hint: "see that the folder can be read", cause: error });
  }
}
