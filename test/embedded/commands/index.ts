import type { NodeCommand } from "./command.ts";
import { CONTENT_COMMANDS } from "./content.ts";
import { PACKAGE_COMMANDS } from "./dpkg.ts";
import { FILE_COMMANDS } from "./files.ts";
import { IDENTITY_COMMANDS } from "./identity.ts";
import { PROCESS_COMMANDS } from "./processes.ts";
import { STAT_COMMANDS } from "./stat.ts";
import { systemctl } from "./systemctl.ts";

/** Every program that a node has beside those of just-bash, or instead of them. */
export const NODE_COMMANDS: Readonly<Record<string, NodeCommand>> = {
  ...CONTENT_COMMANDS,
  ...FILE_COMMANDS,
  ...IDENTITY_COMMANDS,
  ...PACKAGE_COMMANDS,
  ...PROCESS_COMMANDS,
  ...STAT_COMMANDS,
  systemctl,
};
