import { IMAGINED_VERSION, type ImaginedNeeds, type ImaginedPackage } from "../../model/imagined-machine.ts";
import { type UnitName, unitKey } from "../../model/node-question.ts";
import { putUnread } from "./as-observed.ts";
import { debianNode, putFile } from "./debian-node.ts";
import { putFolders } from "./file-effects.ts";
import type { MemoryNode } from "./memory-node.ts";
import { type RepositoryPackage, repositoryPackage } from "./package-repository.ts";
import { textContent } from "./text-content.ts";
import { enableUnit, reloadDaemon, startUnit } from "./unit-effects.ts";

/** A machine that has what its needs say and nothing else: the same for the same needs. */
export function imaginedNode(needs: ImaginedNeeds): MemoryNode {
  const { name, users, groups, packages, managers } = needs;
  const installed = packages.filter((one) => one.installed).map((one) => plainName(one.name));
  const node = debianNode({ name, users, groups, repository: packages.flatMap(offered), installed });
  if (needs.machineId !== null) putUnread(node, "/etc/machine-id", needs.machineId);
  for (const user of managers) node.lingering.add(user);
  for (const folder of needs.folders) putFolders(node, folder);
  for (const path of needs.files) putUnread(node, path);
  for (const unit of needs.units) putFile(node, unitPath(node, unit), unitText(unit.name));
  for (const user of [null, ...managers]) reloadDaemon(node, user);
  for (const unit of needs.running) {
    const brought = needs.packages.find(({ units }) => units.some((one) => unitKey(one) === unitKey(unit)));
    if (brought !== undefined && !brought.installed) continue;
    enableUnit(node, unit);
    startUnit(node, unit);
  }
  return node;
}

/** The one that nobody named last, since that is what apt takes when it is not told which. */
function offered({ name, versions, units }: ImaginedPackage): RepositoryPackage[] {
  const architecture = name.split(":")[1] ?? "all";
  const files = units.map(({ name: unit }) => ({
    path: `/lib/systemd/system/${fileName(unit)}`,
    content: textContent(unitText(unit)),
    mode: "0644",
    conffile: false,
  }));
  return [...versions, IMAGINED_VERSION].map((version) =>
    repositoryPackage({ name: plainName(name), version, architecture, files }),
  );
}

function plainName(name: string): string {
  return name.split(":")[0] ?? name;
}

function unitPath(node: MemoryNode, { name, user }: UnitName): string {
  if (user === null) return `/lib/systemd/system/${fileName(name)}`;
  return `${node.users.get(user) ?? `/home/${user}`}/.config/systemd/user/${fileName(name)}`;
}

function fileName(unit: string): string {
  return unit.replace(/@.+(?=\.[a-z]+$)/, "@");
}

/** It can be run, kept, reloaded and enabled: what can be said of it at all can be made so. */
function unitText(unit: string): string {
  const service = unit.endsWith(".service") ? "[Service]\nExecStart=/bin/imagined\nExecReload=/bin/imagined\n" : "";
  return `[Unit]\nDescription=imagined\n${service}[Install]\nWantedBy=multi-user.target\n`;
}
