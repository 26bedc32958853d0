/** The folder of an absolute path: `/etc/a` → `/etc`, `/a` → `/`. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
