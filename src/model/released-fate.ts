/** What becomes of a resource that left desired state (DESIGN §3.2). `observe`: its role only reports. */
export type ReleasedFate = "keep" | "remove" | "observe";
