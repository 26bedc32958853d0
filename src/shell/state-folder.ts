/**
 * What rollcall keeps on a node (DESIGN §7), 0700 and root's. Scripts say `$rc_state` for it and never the path, so that
 * tests can run them elsewhere.
 *
 *     fence             `<epoch> <run_id>` of the newest run that claimed the node
 *     fence-lock        held while the fence is compared and swapped
 *     lock              held by the run that is at work, as long as it is
 *     last              id of the last run that changed the node
 *     runs/<id>/outcome what became of each step, line by line (outcome-file.ts)
 *     runs/<id>/log     output of the step at work
 *     owned             what rollcall made as declared here, a resource a line (owned-record.ts)
 *     pending/<unit>    restarts and reloads that are due (pending-record.ts)
 */
export const STATE_FOLDER = "/var/lib/rollcall";

/** Run ids are names of folders on the node, and words of its fence. */
export const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
