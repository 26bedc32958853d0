/** The folders of a fleet repository whose changes raise the generation (DESIGN §3, §3.1). */
export const DESIRED_FOLDERS = ["roster", "host-roles", "parcels"] as const;
