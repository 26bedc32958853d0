/** Where something was found: indices into what was searched, the end not included. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds many patterns at once, in time linear in the text however many there are (Aho–Corasick). Of the patterns that
 * end at one place the longest is given, so that the spans together cover every occurrence of every pattern.
 */
export function multiSearch(patterns: Iterable<string>): (text: string) => readonly Span[] {
  const root = trieOf(patterns);
  linkSuffixes(root);
  return (text) => {
    const spans: Span[] = [];
    let state = root;
    for (let index = 0; index < text.length; index++) {
      state = advance(state, text.charCodeAt(index));
      if (state.found > 0) spans.push({ start: index + 1 - state.found, end: index + 1 });
    }
    return spans;
  };
}

/** What has been read that is the beginning of a pattern. */
interface State {
  readonly next: Map<number, State>;
  /** The longest shorter one that has been read as well; of the empty one itself. */
  suffix: State;
  /** Length of the longest pattern that ends here; 0 for none. */
  found: number;
}

function newState(): State {
  const state = { next: new Map<number, State>(), found: 0 } as State;
  state.suffix = state;
  return state;
}

function trieOf(patterns: Iterable<string>): State {
  const root = newState();
  for (const pattern of patterns) {
    let state = root;
    for (let index = 0; index < pattern.length; index++) {
      const unit = pattern.charCodeAt(index);
      const next = state.next.get(unit) ?? newState();
      state.next.set(unit, next);
      state = next;
    }
    state.found = pattern.length;
  }
  return root;
}

/** Breadth first, so that the suffixes of a state, which are shorter, have theirs already. */
function linkSuffixes(root: State): void {
  const queue = [...root.next.values()];
  for (const state of queue) state.suffix = root;
  for (const state of queue) {
    for (const [unit, next] of state.next) {
      next.suffix = advance(state.suffix, unit);
      if (next.found === 0) next.found = next.suffix.found;
      queue.push(next);
    }
  }
}

function advance(from: State, unit: number): State {
  let state = from;
  for (;;) {
    const next = state.next.get(unit);
    if (next !== undefined) return next;
    // Only the empty state is its own suffix.
    if (state.suffix === state) return state;
    state = state.suffix;
  }
}
