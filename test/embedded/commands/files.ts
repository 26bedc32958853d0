import path from "node:path/posix";
import type { ExecResult } from "just-bash";
import type { Owner } from "../file-system.ts";
import type { Machine } from "../machine.ts";
import { DONE, failed, joined, type NodeCommand, printed } from "./command.ts";
import { applyMode } from "./mode.ts";
import { readOptions } from "./options.ts";

const chmod: NodeCommand = async (args, shell, machine) => {
  const options = readOptions(args, { short: "fvR", long: ["recursive"] });
  const [mode, ...files] = options.operands;
  if (mode === undefined || files.length === 0) return failed("chmod: missing operand");
  return forEachFile("chmod", files, shell.cwd, async (file) => {
    const before = await machine.files.stat(file);
    await machine.files.chmod(file, applyMode(mode, before.mode));
    return DONE;
  });
};

const chown: NodeCommand = async (args, shell, machine) => {
  const [spec = "", ...files] = readOptions(args, { short: "fvRh" }).operands;
  const [user = "", group = ""] = spec.split(":");
  const owner = await ownerOf(machine, user, group);
  if ("exitCode" in owner) return { ...owner, stderr: `chown: ${owner.stderr}` };
  return changeOwner("chown", machine, files, shell.cwd, owner);
};

const chgrp: NodeCommand = async (args, shell, machine) => {
  const [group = "", ...files] = readOptions(args, { short: "fvRh" }).operands;
  const owner = await ownerOf(machine, "", group);
  if ("exitCode" in owner) return { ...owner, stderr: `chgrp: ${owner.stderr}` };
  return changeOwner("chgrp", machine, files, shell.cwd, owner);
};

async function ownerOf(machine: Machine, user: string, group: string): Promise<Partial<Owner> | ExecResult> {
  const uid = user === "" ? undefined : await machine.accounts.userId(user);
  if (uid === null) return failed(`invalid user: '${user}'`);
  const gid = group === "" ? undefined : await machine.accounts.groupId(group);
  if (gid === null) return failed(`invalid group: '${group}'`);
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
}

function changeOwner(
  name: string,
  machine: Machine,
  files: readonly string[],
  cwd: string,
  owner: Partial<Owner>,
): Promise<ExecResult> {
  return forEachFile(name, files, cwd, async (file) => {
    await machine.files.chown(file, owner);
    // chown(2) takes the set-id bits away from what is not a directory.
    const stat = await machine.files.stat(file);
    if (!stat.isDirectory) await machine.files.chmod(file, stat.mode & 0o1777);
    return DONE;
  });
}

/** Copies one file, or makes directories with `-d`; `-m`, `-o`, `-g` as given. */
const install: NodeCommand = async (args, shell, machine) => {
  const options = readOptions(args, { short: "dDm:o:g:T", long: ["mode=", "owner=", "group="] });
  const mode = applyMode(options.value("m", "mode") ?? "0755", 0);
  const owner = await ownerOf(machine, options.value("o", "owner") ?? "", options.value("g", "group") ?? "");
  if ("exitCode" in owner) return { ...owner, stderr: `install: ${owner.stderr}` };
  const finish = async (file: string): Promise<ExecResult> => {
    await machine.files.chmod(file, mode);
    await machine.files.chown(file, owner);
    return DONE;
  };
  if (options.has("d")) {
    return forEachFile("install", options.operands, shell.cwd, async (folder) => {
      await machine.files.mkdir(folder, { recursive: true });
      return finish(folder);
    });
  }
  const [source, target] = options.operands;
  if (source === undefined || target === undefined) return failed("install: missing file operand");
  return forEachFile("install", [target], shell.cwd, async (file) => {
    const content = await machine.files.readFileBuffer(path.resolve(shell.cwd, source));
    await machine.files.writeFile(file, content);
    return finish(file);
  });
};

const mkdir: NodeCommand = async (args, shell, machine) => {
  const options = readOptions(args, { short: "pm:v", long: ["parents", "mode="] });
  const parents = options.has("p", "parents");
  const mode = options.value("m", "mode");
  return forEachFile("mkdir", options.operands, shell.cwd, async (folder) => {
    const before = await machine.files.lstat(folder).catch(() => null);
    if (before !== null && !(parents && (await machine.files.stat(folder)).isDirectory)) {
      return failed(`mkdir: cannot create directory '${folder}': File exists`);
    }
    await machine.files.mkdir(folder, { recursive: parents });
    if (mode !== undefined && before === null) await machine.files.chmod(folder, applyMode(mode, 0o777));
    return DONE;
  });
};

const mktemp: NodeCommand = async (args, shell, machine) => {
  const options = readOptions(args, { short: "dp:tq", long: ["directory", "tmpdir="] });
  const template = options.operands[0] ?? "tmp.XXXXXXXXXX";
  const folder = options.value("p", "tmpdir") ?? (options.operands.length === 0 ? "/tmp" : shell.cwd);
  const random = () => "abcdefghijkmnpqrstuvwxyz"[Math.floor(Math.random() * 24)] ?? "a";
  const file = path.resolve(folder, template.replace(/X{3,}(?=[^X]*$)/, (letters) => letters.replace(/X/g, random)));
  if (!(await machine.files.exists(path.dirname(file)))) {
    return failed(`mktemp: failed to create file via template '${template}': No such file or directory`);
  }
  const directory = options.has("d", "directory");
  await (directory ? machine.files.mkdir(file) : machine.files.writeFile(file, ""));
  await machine.files.chmod(file, directory ? 0o700 : 0o600);
  return printed(`${file}\n`);
};

/** `-T` never moves into a directory that is in the way. */
const mv: NodeCommand = async (args, shell, machine) => {
  const options = readOptions(args, { short: "fTnv", long: ["no-target-directory"] });
  if (!options.has("T", "no-target-directory")) return (await shell.origCommand?.([...args])) ?? DONE;
  const [source, target] = options.operands;
  if (source === undefined || target === undefined) return failed("mv: missing file operand");
  return forEachFile("mv", [target], shell.cwd, async (file) => {
    const inTheWay = await machine.files.lstat(file).catch(() => null);
    const from = path.resolve(shell.cwd, source);
    if (inTheWay?.isDirectory === true && !(await machine.files.lstat(from)).isDirectory) {
      return failed(`mv: cannot overwrite directory '${target}' with non-directory`);
    }
    await machine.files.mv(from, file);
    return DONE;
  });
};

/** Flushing is all one in memory; a file that is not there is still an error. */
const sync: NodeCommand = (args, shell, machine) =>
  forEachFile("sync", readOptions(args, { short: "df" }).operands, shell.cwd, async (file) => {
    await machine.files.stat(file);
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

export const FILE_COMMANDS = { chmod, chown, chgrp, install, mkdir, mktemp, mv, sync };
