/** For an option that may be given several times: each adds to what was there. */
export function collect(item: string, items: readonly string[] = []): readonly string[] {
  return [...items, item];
}
