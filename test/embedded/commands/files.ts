import path from "node:path/posix";
import type { ExecResult } from "just-bash";
import type { NodeFileSystem } from "../file-system.ts";
import { DONE, failed, joined, type NodeCommand, type NodeSystem, printed } from "./command.ts";
import { applyMode } from "./mode.ts";
import { readOptions } from "./options.ts";

const chmod: NodeCommand = async (args, shell, system) => {
  const options = readOptions(args, { short: "fvR", long: ["recursive"] });
  const [mode, ...files] = options.operands;
  if (mode === undefined || files.length === 0) return failed("chmod: missing operand");
  return forEachFile("chmod", files, shell.cwd, async (file) => {
    const before = await system.files.stat(file);
    await system.files.chmod(file, applyMode(mode, before.mode));
    return DONE;
  });
};

const chown: NodeCommand = async (args, shell, system) => {
  const [spec = "", ...files] = readOptions(args, { short: "fvRh" }).operands;
  const [user = "", group = ""] = spec.split(":");
  return changeOwner("chown", system, files, shell.cwd, user, group);
};

const chgrp: NodeCommand = async (args, shell, system) => {
  const [group = "", ...files] = readOptions(args, { short: "fvRh" }).operands;
  return changeOwner("chgrp", system, files, shell.cwd, "", group);
};

async function changeOwner(
  name: string,
  { node, files }: NodeSystem,
  names: readonly string[],
  cwd: string,
  owner: string,
  group: string,
): Promise<ExecResult> {
  if (owner !== "" && !node.users.has(owner)) return failed(`${name}: invalid user: '${owner}'`);
  if (group !== "" && !node.groups.has(group)) return failed(`${name}: invalid group: '${group}'`);
  return forEachFile(name, names, cwd, async (file) => {
    await files.change(file, { ...(owner === "" ? {} : { owner }), ...(group === "" ? {} : { group }) });
    // chown(2) takes the set-id bits away from what is not a directory.
    const stat = await files.stat(file);
    if (!stat.isDirectory) await files.chmod(file, stat.mode & 0o1777);
    return DONE;
  });
}

/** Copies one file, or makes directories with `-d`; `-m`, `-o`, `-g` as given. */
const install: NodeCommand = async (args, shell, system) => {
  const options = readOptions(args, { short: "dDm:o:g:T", long: ["mode=", "owner=", "group="] });
  const mode = applyMode(options.value("m", "mode") ?? "0755", 0);
  const finish = async (file: string): Promise<ExecResult> => {
    const [owner = "", group = ""] = [options.value("o", "owner"), options.value("g", "group")];
    const owned = await changeOwner("install", system, [file], "/", owner, group);
    if (owned.exitCode === 0) await system.files.chmod(file, mode);
    return owned;
  };
  if (options.has("d")) {
    return forEachFile("install", options.operands, shell.cwd, async (folder) => {
      await system.files.mkdir(folder, { recursive: true });
      return finish(folder);
    });
  }
  const [source, target] = options.operands;
  if (source === undefined || target === undefined) return failed("install: missing file operand");
  return forEachFile("install", [target], shell.cwd, async (file) => {
    const content = await system.files.readFileBuffer(path.resolve(shell.cwd, source));
    await system.files.writeFile(file, content);
    return finish(file);
  });
};

const mkdir: NodeCommand = async (args, shell, system) => {
  const options = readOptions(args, { short: "pm:v", long: ["parents", "mode="] });
  const parents = options.has("p", "parents");
  const mode = options.value("m", "mode");
  return forEachFile("mkdir", options.operands, shell.cwd, async (folder) => {
    const before = await system.files.lstat(folder).catch(() => null);
    if (before !== null && !(parents && (await system.files.stat(folder)).isDirectory)) {
      return failed(`mkdir: cannot create directory '${folder}': File exists`);
    }
    await system.files.mkdir(folder, { recursive: parents });
    if (mode !== undefined && before === null) await system.files.chmod(folder, applyMode(mode, 0o777));
    return DONE;
  });
};

const mktemp: NodeCommand = async (args, shell, system) => {
  const options = readOptions(args, { short: "dp:tq", long: ["directory", "tmpdir="] });
  const template = options.operands[0] ?? "tmp.XXXXXXXXXX";
  const folder = options.value("p", "tmpdir") ?? (options.operands.length === 0 ? "/tmp" : shell.cwd);
  const random = () => "abcdefghijkmnpqrstuvwxyz"[Math.floor(Math.random() * 24)] ?? "a";
  const file = path.resolve(
    folder,
    template.replace(/X{3,}(?=[^X]*$)/, (letters) => letters.replace(/X/g, random)),
  );
  if (!(await system.files.exists(path.dirname(file)))) {
    return failed(`mktemp: failed to create file via template '${template}': No such file or directory`);
  }
  const directory = options.has("d", "directory");
  await (directory ? system.files.mkdir(file) : system.files.writeFile(file, ""));
  await system.files.chmod(file, directory ? 0o700 : 0o600);
  return printed(`${file}\n`);
};

/** Into a directory that is the target, unless `-T` says that it is not to be one. */
const mv: NodeCommand = async (args, shell, { files }) => {
  const options = readOptions(args, { short: "fTnv", long: ["no-target-directory", "force"] });
  const sources = options.operands.slice(0, -1);
  const target = path.resolve(shell.cwd, options.operands.at(-1) ?? ".");
  if (sources.length === 0) return failed("mv: missing file operand");
  const folder = (await isDirectory(files, target)) && !options.has("T", "no-target-directory");
  return forEachFile("mv", sources, shell.cwd, async (source) => {
    const place = folder ? path.join(target, path.basename(source)) : target;
    const moved = await files.lstat(source);
    if (!moved.isDirectory && (await isDirectory(files, place))) {
      return failed(`mv: cannot overwrite directory '${place}' with non-directory`);
    }
    await files.mv(source, place);
    return DONE;
  });
};

/** Or a link to one. */
async function isDirectory(files: NodeFileSystem, file: string): Promise<boolean> {
  return (await files.stat(file).catch(() => null))?.isDirectory === true;
}

/** Links themselves, dangling ones too. */
const rm: NodeCommand = (args, shell, { files }) => {
  const options = readOptions(args, { short: "frRv", long: ["force", "recursive"] });
  const recursive = options.has("r", "R", "recursive");
  return forEachFile("rm", options.operands, shell.cwd, async (file) => {
    const found = await files.lstat(file).catch(() => null);
    if (found === null) {
      return options.has("f", "force") ? DONE : failed(`rm: cannot remove '${file}': No such file or directory`);
    }
    if (found.isDirectory && !recursive) return failed(`rm: cannot remove '${file}': Is a directory`);
    await files.rm(file, { recursive });
    return DONE;
  });
};

/** Flushing is all one in memory; a file that is not there is still an error. */
const sync: NodeCommand = (args, shell, system) =>
  forEachFile("sync", readOptions(args, { short: "df" }).operands, shell.cwd, async (file) => {
    await system.files.stat(file);
    return DONE;
  });

async function forEachFile(
  name: string,
  files: readonly string[],
  cwd: string,
  act: (file: string) => Promise<ExecResult>,
): Promise<ExecResult> {
  const results: ExecResult[] = [];
  for (const file of files) {
    results.push(await act(path.resolve(cwd, file)).catch((error: Error) => failed(complaint(name, file, error))));
  }
  return joined(results);
}

function complaint(name: string, file: string, error: Error): string {
  if (error.message.startsWith("ENOENT")) return `${name}: cannot access '${file}': No such file or directory`;
  if (error.message.startsWith("EISDIR")) return `${name}: '${file}': Is a directory`;
  return `${name}: '${file}': ${error.message}`;
}

export const FILE_COMMANDS = { chmod, chown, chgrp, install, mkdir, mktemp, mv, rm, sync };
