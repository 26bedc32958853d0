/** Where and how a node is reached, with the fleet's defaults filled in: all a Transport needs to know. */
export interface NodeTarget {
  readonly name: string;
  readonly os: NodeOs;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly become: "sudo" | "none";
  /** The node through which this one is reached. */
  readonly jump: NodeTarget | null;
  readonly connectTimeoutMs: number;
  readonly stepTimeoutMs: number;
}

export const NODE_OSES = ["linux", "windows", "macos"] as const;
export type NodeOs = (typeof NODE_OSES)[number];
