/** What systemd and every shell accept as the name of an environment variable. */
export const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
