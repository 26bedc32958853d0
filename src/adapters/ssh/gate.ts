/** Lets at most `limit` pieces of work through at one time, first come first served. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function gate(limit: number): Gate {
  let inside = 0;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (inside >= limit) await new Promise<void>((enter) => queue.push(enter));
    else inside++;
    try {
      return await work();
    } finally {
      // The place passes on to the next in line, or becomes free.
      const enter = queue.shift();
      if (enter === undefined) inside--;
      else enter();
    }
  };
}
