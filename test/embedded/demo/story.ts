import type { EmbeddedFleet } from "../fleet.ts";

/** One step of the story: what the reader is told, what is done, and what must have come of it. */
export interface Scene {
  readonly title: string;
  /** Plain lines, at most 100 characters each. */
  readonly says: readonly string[];
  readonly does: RollcallCommand | AtTheConsole | MergedChange;
  /** Looks at the nodes from inside; a sentence when they are not as told, else null. */
  readonly proof?: (fleet: EmbeddedFleet) => Promise<string | null>;
}

/** A command that the reader could type, and the exit status that the story needs. */
export interface RollcallCommand {
  readonly kind: "rollcall";
  readonly args: readonly string[];
  readonly exit: number;
}

/** Somebody works on a node by hand. */
export interface AtTheConsole {
  readonly kind: "console";
  readonly node: string;
  readonly lines: readonly string[];
}

/** A pull request that was reviewed and merged: what it changed in files of the repository. */
export interface MergedChange {
  readonly kind: "merge";
  readonly message: string;
  /** In each file `from` stands exactly once. */
  readonly edits: readonly { readonly path: string; readonly from: string; readonly to: string }[];
}

const VICTIM = "web-01";
const WORKS = "systemctl is-active chrony.service gyrum-prober.service";
const PROBER = "host-roles/gyrum-prober.yaml";

/** The main job, told from the first look to the last (DESIGN §1, §3.4). */
export function story(): readonly Scene[] {
  return [...firstRollout(), ...failingCanary(), ...driftByHand()];
}

function firstRollout(): readonly Scene[] {
  return [
    {
      title: "Is the repository sound?",
      says: ["Every file is read and every rule is tried; whatever is wrong is told at once, by file and line."],
      does: { kind: "rollcall", args: ["validate"], exit: 0 },
    },
    {
      title: "What would a merge do?",
      says: [
        "The plan comes from git and from what was observed before; no machine is asked. Nobody has set these",
        "machines up yet. Each role goes out in waves: a canary, a machine of another kind, then the rest.",
      ],
      does: { kind: "rollcall", args: ["plan"], exit: 0 },
      proof: (fleet) =>
        everywhere(fleet, "test ! -e /etc/gyrum && test ! -e /var/lib/rollcall", "was changed by a plan"),
    },
    {
      title: "Carry it out",
      says: [
        "This is what the merge runs. The next wave begins only when every machine of the one before it has",
        "read its facts back; that a command went well proves nothing.",
      ],
      does: { kind: "rollcall", args: ["reconcile"], exit: 0 },
      proof: (fleet) => everywhere(fleet, `${WORKS} && test -s /etc/gyrum/prober.yaml`, "does not run what it should"),
    },
    {
      title: "The board",
      says: ["What was proved, what is only claimed, what is behind: never added together. Here all is proved."],
      does: { kind: "rollcall", args: ["board"], exit: 0 },
    },
  ];
}

function failingCanary(): readonly Scene[] {
  return [
    {
      title: "A change that cannot work",
      says: ["A pull request asks for a version of the prober that no archive has. It looks right, and is merged."],
      does: {
        kind: "merge",
        message: "gyrum-prober 9.9",
        edits: [
          { path: "roster/fleet.yaml", from: "generation: 1", to: "generation: 2" },
          { path: PROBER, from: "version: 1\n", to: "version: 2\n" },
          { path: PROBER, from: "    version: present\n", to: '    version: "9.9"\n' },
        ],
      },
    },
    {
      title: "The canary fails, and nothing else is touched",
      says: ["One machine tries it and cannot read the fact back. The gate stays shut: exit status 1."],
      does: { kind: "rollcall", args: ["reconcile"], exit: 1 },
      proof: (fleet) => everywhere(fleet, WORKS, "does not run what it should"),
    },
    {
      title: "The board is honest about it",
      says: ["Who failed and why, who waits for it, and what to type next. It stays red until the last one is in."],
      does: { kind: "rollcall", args: ["board", "--unit", "role:gyrum-prober"], exit: 1 },
    },
    {
      title: "The fix",
      says: ["The next pull request asks for the version that there is. It ends the rollout that stands still."],
      does: {
        kind: "merge",
        message: "gyrum-prober 1.0",
        edits: [
          { path: "roster/fleet.yaml", from: "generation: 2", to: "generation: 3" },
          { path: PROBER, from: "version: 2\n", to: "version: 3\n" },
          { path: PROBER, from: '    version: "9.9"\n', to: '    version: "1.0"\n' },
        ],
      },
    },
    {
      title: "Canary, another kind, the rest",
      says: ["The machines already have 1.0: each reads that back, wave by wave, and nothing has to be done."],
      does: { kind: "rollcall", args: ["reconcile"], exit: 0 },
    },
    {
      title: "What happened to it",
      says: ["The event log is the audit trail; it lies on a branch of its own in the same repository."],
      does: { kind: "rollcall", args: ["rollout", "list", "--all"], exit: 0 },
    },
  ];
}

function driftByHand(): readonly Scene[] {
  return [
    {
      title: "Somebody helps out by hand",
      says: [`Meanwhile, on ${VICTIM}, at three in the morning:`],
      does: {
        kind: "console",
        node: VICTIM,
        lines: [
          "echo '# temporary fix' >>/etc/caddy/Caddyfile",
          "chmod 0666 /etc/gyrum/prober.yaml",
          "systemctl stop gyrum-prober.service",
          "apt-get install -y telnetd",
        ],
      },
    },
    {
      title: "The audit",
      says: [
        "Every machine is asked, in one round trip each, and nothing is changed. What was changed by hand is",
        "told apart from what the repository changed and has not carried out yet.",
      ],
      does: { kind: "rollcall", args: ["audit"], exit: 1 },
    },
    {
      title: "Heal it",
      says: [
        `Only ${VICTIM}, and there only what differs; as its Caddyfile is written anew, caddy is restarted.`,
        "What it does, it does in this order; what it did counts once the second look finds it done.",
      ],
      does: { kind: "rollcall", args: ["apply", VICTIM], exit: 0 },
      proof: (fleet) => everywhere(fleet, `${WORKS} && ! dpkg-query -W telnetd`, "was not healed"),
    },
    {
      title: "The last look",
      says: ["Every machine is again what the repository says, and has said so itself."],
      does: { kind: "rollcall", args: ["audit"], exit: 0 },
    },
  ];
}

async function everywhere(fleet: EmbeddedFleet, script: string, otherwise: string): Promise<string | null> {
  for (const node of fleet.nodes) {
    const { exitCode } = await node.shell(script);
    if (exitCode !== 0) return `${node.name} ${otherwise}`;
  }
  return null;
}
