import { resolve } from "node:path";
import { DESIRED_FOLDERS } from "../model/desired-folders.ts";
import type { MergedPast } from "../ports/merged-past.ts";
import { demandGit } from "./git-process.ts";

export function gitMergedPast(folder: string): MergedPast {
  return {
    async changes(since, head, most) {
      const range = [
        "rev-list",
        "--first-parent",
        `--max-count=${most}`,
        `${since}..${head}`,
        "--",
        ...DESIRED_FOLDERS,
      ];
      return (await demandGit(resolve(folder), range)).toString("utf8").split("\n").filter(Boolean);
    },
  };
}
