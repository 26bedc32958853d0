import type { EmbeddedFleet } from "../fleet.ts";

/** One step of the story: what the reader is told, what is done, and what must have come of it. */
export interface Scene {
  readonly title: string;
  /** Plain lines, at most 100 characters each. */
  readonly says: readonly string[];
  readonly does: RollcallCommand | AtTheConsole;
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

const VICTIM = "web-01";
const WORKS = "systemctl is-active chrony.service gyrum-prober.service";

/** The main job, told from the first look to the last (DESIGN §1). `apply`: its arguments beyond the verb. */
export function story(apply: readonly string[]): readonly Scene[] {
  return [
    {
      title: "Is the repository sound?",
      says: ["Every file is read and every rule is tried; whatever is wrong is told at once, by file and line."],
      does: { kind: "rollcall", args: ["validate"], exit: 0 },
    },
    {
      title: "What differs?",
      says: [
        "Each machine is asked over SSH, in one round trip, for the facts that its roles declare. Nothing is",
        "changed. Nobody has set these machines up yet, so nearly everything differs: exit status 1.",
      ],
      does: { kind: "rollcall", args: ["check"], exit: 1 },
      proof: (fleet) =>
        everywhere(fleet, "test ! -e /etc/gyrum && test ! -e /var/lib/rollcall", "was changed by a check"),
    },
    {
      title: "Make it so",
      says: [
        "The same differences, now acted on in their order, all machines at once. Then each machine is read",
        "again: converged means that every declared fact was read back, not that some command went well.",
      ],
      does: { kind: "rollcall", args: ["apply", ...apply], exit: 0 },
      proof: (fleet) => everywhere(fleet, `${WORKS} && test -s /etc/gyrum/prober.yaml`, "does not run what it should"),
    },
    {
      title: "And again?",
      says: ["The second look finds nothing, so an apply now would do nothing: exit status 0."],
      does: { kind: "rollcall", args: ["check"], exit: 0 },
    },
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
      title: "What differs now?",
      says: ["Each of the four is found, with what would be done about it. The other machines are as declared."],
      does: { kind: "rollcall", args: ["check"], exit: 1 },
    },
    {
      title: "Heal it",
      says: [
        `Only ${VICTIM}, and there only what differs; as its Caddyfile is written anew, caddy is restarted.`,
        "What it does, it does in this order; what it did counts once the second look finds it done.",
      ],
      does: { kind: "rollcall", args: ["apply", VICTIM, ...apply], exit: 0 },
      proof: (fleet) => everywhere(fleet, `${WORKS} && ! dpkg-query -W telnetd`, "was not healed"),
    },
    {
      title: "The last look",
      says: ["Every machine is again what the repository says, and has said so itself."],
      does: { kind: "rollcall", args: ["check"], exit: 0 },
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
