import { randomUUID } from "node:crypto";
import type { Annotation } from "../../ports/workflow-run.ts";

/**
 * Lines that the runner takes for commands. It reads them at the start of any line, and an older form anywhere in one, so
 * that other people's text goes out only with commands switched off around it.
 */
export function annotationCommand({ level, title, text, file, line }: Annotation): string {
  const properties = [
    ...(file === null ? [] : [`file=${property(file)}`]),
    ...(file === null || line === null ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ];
  return `::${level} ${properties.join(",")}::${data(text)}\n`;
}

export function maskCommand(value: string): string {
  return `::add-mask::${data(value)}\n`;
}

export function groupCommands(title: string, text: string, word: string = randomUUID()): string {
  const body = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `::group::${data(title)}\n::stop-commands::${word}\n${body}::${word}::\n::endgroup::\n`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
