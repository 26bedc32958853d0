const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Lets `work` know that somebody asked the process to end, so that it can end where nothing is lost. Who asks twice means at
 * once: the second signal ends the process as it would without this.
 */
export async function untilInterrupted<Answer>(work: (interrupted: () => boolean) => Promise<Answer>): Promise<Answer> {
  let asked = false;
  const onSignal = (): void => {
    asked = true;
    forget();
  };
  const forget = (): void => {
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work(() => asked);
  } finally {
    forget();
  }
}
