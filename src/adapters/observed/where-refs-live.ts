import { hasRemote } from "../git-remote.ts";
import { localRefs } from "./local-refs.ts";
import type { RecordRefs, RefNames } from "./record-refs.ts";
import { remoteRefs } from "./remote-refs.ts";

/** Asked anew each time: a remote may be added while a process runs, and then it is what counts. */
export function recordRefs(folder: string, names: RefNames): RecordRefs {
  const either = async () => ((await hasRemote(folder)) ? remoteRefs(folder, names) : localRefs(folder, names));
  return {
    fetch: async () => (await either()).fetch(),
    swap: async (changes) => (await either()).swap(changes),
  };
}
