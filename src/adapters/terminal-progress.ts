import { createLogUpdate } from "log-update";
import type { Progress, ProgressEvent } from "../ports.ts";

/** Lines of nodes at work that a terminal shows at one time. */
const SHOWN = 8;

/** Live lines on a terminal that can move its cursor, one plain line an event elsewhere. Both on stderr: stdout is for the answer. */
export function terminalProgress(stream: NodeJS.WriteStream): Progress {
  const live = stream.isTTY && process.env.CI === undefined && process.env.TERM !== "dumb";
  return live ? liveProgress(stream) : plainProgress(stream);
}

function plainProgress(stream: NodeJS.WritableStream): Progress {
  const tally = new Tally();
  return {
    event: (event) => {
      tally.add(event);
      if (event.kind === "wave") stream.write(`${tally.title()}\n`);
      if (event.kind === "acting") stream.write(`${tally.line(event.node)}\n`);
      if (event.kind === "finished") stream.write(`${tally.count()} ${event.node} ${event.outcome}\n`);
    },
    end: () => {},
  };
}

function liveProgress(stream: NodeJS.WriteStream): Progress {
  const show = createLogUpdate(stream);
  const tally = new Tally();
  return {
    event: (event) => {
      tally.add(event);
      show(tally.screen(stream.columns));
    },
    end: () => show.clear(),
  };
}

/** What is known of the run so far. */
class Tally {
  #total = 0;
  #finished = 0;
  #task = "";
  #wave = "";
  readonly #busy = new Map<string, string>();

  add(event: ProgressEvent): void {
    switch (event.kind) {
      case "begin":
        // An apply begins twice: with its waves, then with what else differs.
        this.#finished = 0;
        this.#wave = "";
        this.#total = event.nodes.length;
        this.#task = event.task;
        return;
      case "wave":
        this.#wave = ` ${event.unit} wave ${event.wave + 1} of ${event.of} (${event.nodes.length})`;
        return;
      case "observing":
        this.#busy.set(event.node, "reading");
        return;
      case "observed":
        this.#busy.set(event.node, event.items === 0 ? "as declared" : `read: ${event.items} to look at`);
        return;
      case "acting":
        this.#busy.set(event.node, `step ${event.step} of ${event.of}: ${event.what}`);
        return;
      case "finished":
        this.#busy.delete(event.node);
        this.#finished++;
    }
  }

  count(): string {
    return `[${this.#finished}/${this.#total}]`;
  }

  title(): string {
    return `${this.#task}${this.#wave} ${this.count()}`;
  }

  line(node: string): string {
    return `${this.count()} ${node} ${this.#busy.get(node) ?? ""}`;
  }

  screen(columns: number): string {
    const nodes = [...this.#busy.keys()];
    const lines = nodes.slice(0, SHOWN).map((node) => `  ${node}  ${this.#busy.get(node) ?? ""}`.slice(0, columns - 1));
    const more = nodes.length > SHOWN ? [`  … and ${nodes.length - SHOWN} more`] : [];
    return [this.title(), ...lines, ...more].join("\n");
  }
}
