/**
 * The run of a workflow as one of its steps sees it (DESIGN §6): where it tells people and later steps something. Nothing of
 * it throws for what a disk or a stream refuses; what could not be written is said in the log.
 */
export interface WorkflowRun {
  /** `OWNER/NAME` of the repository that the workflow is in. */
  readonly repository: string;
  /** The run's page; null: this is no workflow's run. */
  readonly url: string | null;
  /** Who started it. */
  readonly actor: string;
  /** From now on this is all that the step's summary says; call it as often as there is news. At most {@link SUMMARY_LIMIT}. */
  summary(markdown: string): Promise<void>;
  /** For later steps; `value` is one line. */
  output(name: string, value: string): Promise<void>;
  /** Keeps a JSON document, or a text as it is, for the run's artifact, by file name. */
  document(file: string, content: unknown): Promise<void>;
  annotate(annotation: Annotation): void;
  /** A folded part of the log. Nothing in `text` is taken for a command of the runner, whoever wrote it. */
  group(title: string, text: string): void;
  /** Masks a value in the log from now on. */
  mask(value: string): void;
}

/** Bytes; GitHub loses a longer summary and leaves the job green. */
export const SUMMARY_LIMIT = 1_048_576;

/** GitHub shows so many errors, and as many warnings, a step. */
export const MOST_ANNOTATIONS = 10;

export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly title: string;
  readonly text: string;
  /** Path in the repository; null: it is about no file. */
  readonly file: string | null;
  readonly line: number | null;
}
