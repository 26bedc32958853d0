import { z } from "zod";

/**
 * Scalars of what rollcall itself records as JSON on the observed refs, where numbers are numbers. They are read back as
 * untrusted: anybody who can push there could have written them.
 */
export const moment = z.iso.datetime({ offset: true });
export const digest = z.string().regex(/^[0-9a-f]{64}$/);
export const commitId = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
export const count = z.int().min(0);
/** One line or a few; bounded, so that a record stays one that can be shown. */
export const words = z.string().max(4000);
export const label = z.string().min(1).max(200);
