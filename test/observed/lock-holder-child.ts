import { systemClock } from "../../src/adapters/system-clock.ts";
import { held, storeIn } from "./stores.ts";

/** Takes the lock of the folder it is given, says so, and holds it until it is killed. */
const [folder = ""] = process.argv.slice(2);
const lock = await held(storeIn(folder, systemClock), "child");
process.stdout.write(`held ${lock.epoch}\n`);
process.stdin.resume();
