import type { FileContent } from "../../model/file-content.ts";
import type { ObservedFiles, ObservedWrites } from "../../ports.ts";
import { parseTree, readBlobs } from "../git-objects.ts";
import { demandGit } from "../git-process.ts";

/** Of a byte-order mark nothing is dropped: what differs in bytes must differ as text. */
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

const NO_FILES: ObservedFiles = { commit: null, paths: [], read: () => undefined };

/**
 * Reads the files of one ref again and again, each content once: two processes a commit, however many files it has, and
 * none for a commit that was read last.
 */
export class CommitFiles {
  readonly #folder: string;
  #files: ObservedFiles = NO_FILES;
  #contents: ReadonlyMap<string, FileContent> = new Map();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async at(commit: string | null): Promise<ObservedFiles> {
    if (commit === null) return NO_FILES;
    if (this.#files.commit !== commit) this.#files = await this.#load(commit);
    return this.#files;
  }

  async #load(commit: string): Promise<ObservedFiles> {
    const words = ["ls-tree", "-r", "-z", "-l", "--full-tree", commit];
    const listed = parseTree((await demandGit(this.#folder, words)).toString("utf8"));
    // Links and submodules are nothing that rollcall writes.
    const files = listed.filter(({ type, mode }) => type === "blob" && mode !== "120000");
    const known = this.#contents;
    const news = await readBlobs(
      this.#folder,
      files.filter(({ id }) => !known.has(id)),
    );
    const contents = new Map(files.map(({ id }) => [id, news.get(id) ?? known.get(id)] as const));
    this.#contents = contents as ReadonlyMap<string, FileContent>;
    const ids = new Map(files.map(({ path, id }) => [path, id]));
    return {
      commit,
      paths: [...ids.keys()].sort(),
      read(path) {
        const bytes = contents.get(ids.get(path) ?? "")?.bytes();
        return bytes === undefined ? undefined : TEXT.decode(bytes);
      },
    };
  }
}

/** What of the wished writes would change anything. */
export function newsIn(files: ObservedFiles, wished: ObservedWrites): ObservedWrites {
  return new Map([...wished].filter(([path, text]) => (files.read(path) ?? null) !== text));
}
