import { numberOf } from "../account-number.ts";
import { DONE, failed, type NodeCommand, printed } from "./command.ts";
import { readOptions } from "./options.ts";

const id: NodeCommand = (args, _shell, { node, process }) => {
  const options = readOptions(args, { short: "ugnG", long: ["user", "group", "name"] });
  const name = options.operands[0] ?? process.user;
  if (!node.users.has(name)) return failed(`id: '${name}': no such user`);
  const [uid, gid] = [numberOf(node.users.keys(), name), numberOf(node.groups, name)];
  if (options.has("n", "name")) return printed(`${name}\n`);
  if (options.has("u", "user")) return printed(`${uid}\n`);
  if (options.has("g", "group", "G")) return printed(`${gid}\n`);
  return printed(`uid=${uid}(${name}) gid=${gid}(${name}) groups=${gid}(${name})\n`);
};

const whoami: NodeCommand = (_args, _shell, { process }) => printed(`${process.user}\n`);

const getent: NodeCommand = ([database, ...keys], _shell, { node }) => {
  const lines =
    database === "passwd"
      ? [...node.users].map(([name, home]) => {
          const number = numberOf(node.users.keys(), name);
          return `${name}:x:${number}:${number}::${home}:/bin/sh`;
        })
      : database === "group"
        ? [...node.groups].map((name) => `${name}:x:${numberOf(node.groups, name)}:`)
        : null;
  if (lines === null) return failed(`Unknown database: ${database ?? ""}`);
  const found = lines.filter((line) => {
    const [name, , number] = line.split(":");
    return keys.length === 0 || keys.includes(name ?? "") || keys.includes(number ?? "");
  });
  return { stdout: found.map((line) => `${line}\n`).join(""), stderr: "", exitCode: found.length === 0 ? 2 : 0 };
};

const groupadd: NodeCommand = (args, _shell, { node }) => {
  const [name] = readOptions(args, { short: "rfg:", long: ["system", "force", "gid="] }).operands;
  if (name === undefined) return failed("Usage: groupadd [options] GROUP", 2);
  if (node.groups.has(name)) return failed(`groupadd: group '${name}' already exists`, 9);
  node.groups.add(name);
  return DONE;
};

const useradd: NodeCommand = (args, _shell, { node }) => {
  const long = [
    "system",
    "no-create-home",
    "create-home",
    "shell=",
    "gid=",
    "home-dir=",
    "uid=",
    "user-group",
    "groups=",
  ];
  const options = readOptions(args, { short: "rmMs:g:d:u:UG:c:", long: [...long, "comment="] });
  const [name] = options.operands;
  if (name === undefined) return failed("Usage: useradd [options] LOGIN", 2);
  if (node.users.has(name)) return failed(`useradd: user '${name}' already exists`, 9);
  node.users.set(name, options.value("d", "home-dir") ?? `/home/${name}`);
  node.groups.add(options.value("g", "gid") ?? name);
  return DONE;
};

const uname: NodeCommand = (args, _shell, { node, machine }) => {
  const options = readOptions(args, { short: "asnrm" });
  const release = "6.1.0-simulated";
  const parts = [
    ["s", node.kernel],
    ["n", machine.name],
    ["r", release],
    ["m", "x86_64"],
  ] as const;
  const wanted = parts.filter(([letter]) => options.has("a") || options.has(letter));
  return printed(`${(wanted.length === 0 ? [node.kernel] : wanted.map(([, text]) => text)).join(" ")}\n`);
};

export const IDENTITY_COMMANDS = { getent, groupadd, id, uname, useradd, whoami };
