import type { Forge } from "../../ports/forge.ts";
import { comments } from "./comments.ts";
import { type ConnectionOptions, connect } from "./connection.ts";
import { deployments } from "./deployments.ts";
import { identity } from "./identity.ts";
import { issues } from "./issues.ts";
import { pullRequests } from "./pull-requests.ts";
import { settings } from "./settings.ts";

export interface GitHubForgeOptions extends ConnectionOptions {
  /** Who writes with the token, where asking does not tell. */
  readonly login: string | undefined;
}

/** GitHub behind the Forge port (DESIGN §6). Opens nothing until it is asked, holds nothing open. */
export function gitHubForge(options: GitHubForgeOptions): Forge {
  const connection = connect(options);
  const me = identity(connection, options.login);
  return {
    ...comments(connection, me),
    ...issues(connection, me),
    ...pullRequests(connection),
    ...settings(connection),
    ...deployments(connection),
  };
}
